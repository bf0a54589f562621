// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <systemc>

namespace platter::axi {

/// Codes of BRESP and RRESP. AXI4-Lite has no EXOKAY.
enum class Response : std::uint32_t { Okay = 0, ExOkay = 1, SlvErr = 2, DecErr = 3 };

/// The pins of AXI4-Lite with 32 bits of data: the master drives the `FromMaster` pins, the slave the `FromSlave` pins. The types
/// are those that Verilator gives the pins of a SystemC model, so such a model binds to the signals directly. A master without
/// PROT leaves it at 0; a slave without PROT ignores it.
template <template <class> class FromMaster, template <class> class FromSlave>
struct AxilBundle {
  explicit AxilBundle(const std::string& prefix)
      : awvalid((prefix + "_awvalid").c_str()),
        awready((prefix + "_awready").c_str()),
        awaddr((prefix + "_awaddr").c_str()),
        awprot((prefix + "_awprot").c_str()),
        wvalid((prefix + "_wvalid").c_str()),
        wready((prefix + "_wready").c_str()),
        wdata((prefix + "_wdata").c_str()),
        wstrb((prefix + "_wstrb").c_str()),
        bvalid((prefix + "_bvalid").c_str()),
        bready((prefix + "_bready").c_str()),
        bresp((prefix + "_bresp").c_str()),
        arvalid((prefix + "_arvalid").c_str()),
        arready((prefix + "_arready").c_str()),
        araddr((prefix + "_araddr").c_str()),
        arprot((prefix + "_arprot").c_str()),
        rvalid((prefix + "_rvalid").c_str()),
        rready((prefix + "_rready").c_str()),
        rdata((prefix + "_rdata").c_str()),
        rresp((prefix + "_rresp").c_str()) {}

  FromMaster<bool> awvalid;
  FromSlave<bool> awready;
  FromMaster<std::uint32_t> awaddr;
  FromMaster<std::uint32_t> awprot;

  FromMaster<bool> wvalid;
  FromSlave<bool> wready;
  FromMaster<std::uint32_t> wdata;
  FromMaster<std::uint32_t> wstrb;

  FromSlave<bool> bvalid;
  FromMaster<bool> bready;
  FromSlave<std::uint32_t> bresp;

  FromMaster<bool> arvalid;
  FromSlave<bool> arready;
  FromMaster<std::uint32_t> araddr;
  FromMaster<std::uint32_t> arprot;

  FromSlave<bool> rvalid;
  FromMaster<bool> rready;
  FromSlave<std::uint32_t> rdata;
  FromSlave<std::uint32_t> rresp;
};

template <class T>
using AxilWire = sc_core::sc_signal<T>;

/// One AXI4-Lite bus with addresses of `AddrW` bits.
template <unsigned AddrW = 32>
struct AxilSignals : AxilBundle<AxilWire, AxilWire> {
  static_assert(AddrW >= 2 && AddrW <= 32, "an address has 2 to 32 bits");
  static constexpr unsigned kAddressBits = AddrW;

  explicit AxilSignals(const std::string& name = "axil") : AxilBundle<AxilWire, AxilWire>(name) {}
};

/// Ports for the pins; bind() connects all of them, to signals or to the ports of an enclosing module.
template <template <class> class FromMaster, template <class> class FromSlave>
struct AxilPorts : AxilBundle<FromMaster, FromSlave> {
  explicit AxilPorts(const std::string& name = "axil") : AxilBundle<FromMaster, FromSlave>(name) {}

  /// Bits of an address: set by bind(), or by the user if the ports are bound one by one.
  unsigned address_bits = 32;

  template <unsigned AddrW>
  void bind(AxilSignals<AddrW>& signals) {
    address_bits = AddrW;
    bind_all(signals);
  }
  template <template <class> class M, template <class> class S>
  void bind(AxilPorts<M, S>& outer) {
    address_bits = outer.address_bits;
    bind_all(outer);
  }
  template <class Other>
  void operator()(Other& other) {
    bind(other);
  }

 private:
  template <class Other>
  void bind_all(Other& other) {
    this->awvalid.bind(other.awvalid);
    this->awready.bind(other.awready);
    this->awaddr.bind(other.awaddr);
    this->awprot.bind(other.awprot);
    this->wvalid.bind(other.wvalid);
    this->wready.bind(other.wready);
    this->wdata.bind(other.wdata);
    this->wstrb.bind(other.wstrb);
    this->bvalid.bind(other.bvalid);
    this->bready.bind(other.bready);
    this->bresp.bind(other.bresp);
    this->arvalid.bind(other.arvalid);
    this->arready.bind(other.arready);
    this->araddr.bind(other.araddr);
    this->arprot.bind(other.arprot);
    this->rvalid.bind(other.rvalid);
    this->rready.bind(other.rready);
    this->rdata.bind(other.rdata);
    this->rresp.bind(other.rresp);
  }
};

using AxilMasterPorts = AxilPorts<sc_core::sc_out, sc_core::sc_in>;
using AxilSlavePorts = AxilPorts<sc_core::sc_in, sc_core::sc_out>;
using AxilMonitorPorts = AxilPorts<sc_core::sc_in, sc_core::sc_in>;

}  // namespace platter::axi

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <systemc>

namespace platter::axi {

/// Codes of BRESP and RRESP.
enum class Response : std::uint32_t {
  Okay = 0,    ///< good
  ExOkay = 1,  ///< not of AXI4-Lite
  SlvErr = 2,  ///< the slave refuses
  DecErr = 3,  ///< there is no slave
};

/// The pins of AXI4-Lite with 32 bits of data: the master drives the `FromMaster` pins, the slave the `FromSlave` pins. The types
/// are those that Verilator gives the pins of a SystemC model, so such a model binds to the signals directly. A master without
/// PROT leaves it at 0; a slave without PROT ignores it.
template <template <class> class FromMaster, template <class> class FromSlave>
struct AxilBundle {
  /// `prefix`: of the pins' names.
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

  FromMaster<bool> awvalid;          ///< address of a write: valid
  FromSlave<bool> awready;           ///< address of a write: ready
  FromMaster<std::uint32_t> awaddr;  ///< address of a write, in bytes
  FromMaster<std::uint32_t> awprot;  ///< AWPROT

  FromMaster<bool> wvalid;          ///< data of a write: valid
  FromSlave<bool> wready;           ///< data of a write: ready
  FromMaster<std::uint32_t> wdata;  ///< data of a write
  FromMaster<std::uint32_t> wstrb;  ///< data of a write: the bytes that count

  FromSlave<bool> bvalid;          ///< response to a write: valid
  FromMaster<bool> bready;         ///< response to a write: ready
  FromSlave<std::uint32_t> bresp;  ///< response to a write: a code of Response

  FromMaster<bool> arvalid;          ///< address of a read: valid
  FromSlave<bool> arready;           ///< address of a read: ready
  FromMaster<std::uint32_t> araddr;  ///< address of a read, in bytes
  FromMaster<std::uint32_t> arprot;  ///< ARPROT

  FromSlave<bool> rvalid;          ///< data of a read: valid
  FromMaster<bool> rready;         ///< data of a read: ready
  FromSlave<std::uint32_t> rdata;  ///< data of a read
  FromSlave<std::uint32_t> rresp;  ///< data of a read: a code of Response
};

/// A signal as a pin of AxilBundle.
template <class T>
using AxilWire = sc_core::sc_signal<T>;

/// One AXI4-Lite bus with addresses of `AddrW` bits.
template <unsigned AddrW = 32>
struct AxilSignals : AxilBundle<AxilWire, AxilWire> {
  static_assert(AddrW >= 2 && AddrW <= 32, "an address has 2 to 32 bits");
  static constexpr unsigned kAddressBits = AddrW;  ///< width of an address

  /// `name`: the prefix of the signals' names.
  explicit AxilSignals(const std::string& name = "axil") : AxilBundle<AxilWire, AxilWire>(name) {}
};

/// Ports for the pins; bind() connects all of them, to signals or to the ports of an enclosing module.
template <template <class> class FromMaster, template <class> class FromSlave>
struct AxilPorts : AxilBundle<FromMaster, FromSlave> {
  /// `name`: the prefix of the ports' names.
  explicit AxilPorts(const std::string& name = "axil") : AxilBundle<FromMaster, FromSlave>(name) {}

  /// Bits of an address: set by bind(), or by the user if the ports are bound one by one.
  unsigned address_bits = 32;

  /// Binds every port to the signal of its name.
  template <unsigned AddrW>
  void bind(AxilSignals<AddrW>& signals) {
    address_bits = AddrW;
    bind_all(signals);
  }
  /// Binds every port to the port of its name of an enclosing module.
  template <template <class> class M, template <class> class S>
  void bind(AxilPorts<M, S>& outer) {
    address_bits = outer.address_bits;
    bind_all(outer);
  }
  /// As bind().
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

using AxilMasterPorts = AxilPorts<sc_core::sc_out, sc_core::sc_in>;  ///< of a master
using AxilSlavePorts = AxilPorts<sc_core::sc_in, sc_core::sc_out>;   ///< of a slave
using AxilMonitorPorts = AxilPorts<sc_core::sc_in, sc_core::sc_in>;  ///< of who only watches

}  // namespace platter::axi

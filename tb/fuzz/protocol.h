// SPDX-License-Identifier: Apache-2.0
//
// What the fuzzer of protocols (fuzz_protocols.cpp) asks of each of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace platter::fuzz {

using Random = std::mt19937_64;
using Bytes = std::vector<std::uint8_t>;

inline std::uint64_t below(Random& random, std::uint64_t n) { return n == 0 ? 0 : random() % n; }
inline bool one_in(Random& random, std::uint64_t n) { return below(random, n) == 0; }
template <typename T>
T pick(Random& random, std::initializer_list<T> of) {
  return of.begin()[below(random, of.size())];
}
template <typename T>
const T& pick(Random& random, const std::vector<T>& of) {
  return of[below(random, of.size())];
}

/// A number at the edge of a type, a small one, or any.
inline std::uint64_t hostile(Random& random) {
  constexpr std::uint64_t kOne = 1;
  switch (below(random, 6)) {
    case 0: return below(random, 16);
    case 1: return (kOne << below(random, 64)) - below(random, 3);
    case 2: return ~below(random, 4096);
    case 3: return below(random, 65536) * 512;
    case 4: return random() >> below(random, 64);
    default: return random();
  }
}

/// Changes bytes, inserts some, removes some, or ends early.
inline void mutate(Random& random, Bytes& bytes) {
  const auto at = [&] { return static_cast<std::ptrdiff_t>(below(random, bytes.size() + 1)); };
  for (std::uint64_t n = 1 + below(random, 3); n > 0; --n) switch (below(random, 5)) {
      case 0:
      case 1:
        if (!bytes.empty()) bytes[below(random, bytes.size())] = static_cast<std::uint8_t>(random());
        break;
      case 2: bytes.insert(bytes.begin() + at(), 1 + below(random, 8), static_cast<std::uint8_t>(random())); break;
      case 3: {
        const std::ptrdiff_t from = at();
        const auto left = static_cast<std::uint64_t>(static_cast<std::ptrdiff_t>(bytes.size()) - from);
        const auto count = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(left, 1 + below(random, 8)));
        bytes.erase(bytes.begin() + from, bytes.begin() + from + count);
        break;
      }
      default:
        if (one_in(random, 4)) bytes.resize(static_cast<std::size_t>(at()));
    }
}

/// Something that must not happen.
struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};
inline void expect(bool good, const std::string& text) {
  if (!good) throw Wrong(text);
}

/// After an exception AddressSanitizer keeps the stack frames that it has skipped as forbidden, if it does not know the stack, as in a simulation.
/// This allows the stack below the caller again. It does nothing without the sanitizer.
void clean_stack();

/// A way in from outside, with all that is behind it. Constructed before the simulation begins.
class Protocol {
 public:
  virtual ~Protocol() = default;
  /// Called once in the process that gives the inputs.
  virtual void begin() {}
  /// Gives an input. Everything is a function of `random` and of the inputs before it.
  virtual void input(Random& random) = 0;
  /// Recovers as a host would. Everything that was begun must have ended, and a good client must be served; throws Wrong otherwise.
  virtual void check(Random& random) = 0;
};

/// `work`: a folder for files.
std::unique_ptr<Protocol> make_ahci(const std::filesystem::path& work);
std::unique_ptr<Protocol> make_vfio_user(const std::filesystem::path& work);
std::unique_ptr<Protocol> make_nbd(const std::filesystem::path& work);
std::unique_ptr<Protocol> make_control(const std::filesystem::path& work);
std::unique_ptr<Protocol> make_tlm(const std::filesystem::path& work);
std::unique_ptr<Protocol> make_disk(const std::filesystem::path& work);
std::unique_ptr<Protocol> make_image(const std::filesystem::path& work);

}  // namespace platter::fuzz

// SPDX-License-Identifier: Apache-2.0
#include "platter/import/disksim_syntax.h"
#include "platter/core/input_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <system_error>
#include <tao/pegtl.hpp>

namespace platter::disksim {

namespace fs = std::filesystem;
namespace pegtl = tao::pegtl;

namespace {

// Files that source others twice each, which source others in turn, would grow without end. These limits stop it.
constexpr std::size_t kMaxFiles = 1000;
constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxTokens = std::size_t{1} << 22;
constexpr std::size_t kDeepest = 64;
constexpr std::int64_t kLongestRange = 100'000;

/// A character for messages.
std::string show(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte < 0x7f ? fmt::format("'{}'", c) : fmt::format("the byte 0x{:02X}", byte);
}

// --- words -----------------------------------------------------------------------------------------------------------
//
// Files are first split into tokens, because `source` may be between any two of them. The file that it names is read in its place.

namespace text {

struct blank : pegtl::plus<pegtl::one<' ', '\t', '\r', '\n', '\f', '\v'>> {};
struct comment : pegtl::seq<pegtl::one<'#'>, pegtl::star<pegtl::not_one<'\n', '\0'>>> {};
struct sign : pegtl::one<'{', '}', '[', ']', ',', '=', ';', ':', '?'> {};
struct word : pegtl::plus<pegtl::not_at<sign>, pegtl::range<'!', '~'>> {};
struct token : pegtl::sor<blank, comment, word, sign> {};
struct file : pegtl::until<pegtl::eof, pegtl::must<token>> {};

struct minus : pegtl::opt<pegtl::one<'-'>> {};
struct digits : pegtl::plus<pegtl::digit> {};
struct exponent : pegtl::seq<pegtl::one<'e'>, pegtl::one<'+', '-'>, digits> {};
struct whole : pegtl::seq<minus, digits, pegtl::eof> {};
struct hexadecimal : pegtl::seq<minus, pegtl::string<'0', 'x'>, pegtl::plus<pegtl::xdigit>, pegtl::eof> {};
struct real : pegtl::seq<minus, digits, pegtl::one<'.'>, digits, pegtl::opt<exponent>, pegtl::eof> {};

}  // namespace text

/// What the grammar below sees of a token: a sign itself, or one of these.
enum Mark : char {
  kWord = 'w',
  kWhole = 'n',
  kReal = 'x',
  kTopology = 't',
  kInstantiate = 'i',
  kAs = 'a',
  kTo = '.',
};

struct Token {
  Mark mark;
  std::uint32_t file;
  std::uint32_t line;
  std::uint32_t column;
  std::string text;
  std::int64_t whole;
  double real;
};

template <typename Rule>
bool is(const std::string& word) {
  pegtl::memory_input<pegtl::tracking_mode::lazy> in(word, "");
  return pegtl::parse<Rule>(in);
}

class Scanner {
 public:
  void scan(const fs::path& path);
  void word(const std::string& text, std::size_t line, std::size_t column);
  void sign(char c, std::size_t line, std::size_t column);

  std::vector<Token> tokens;
  std::vector<std::shared_ptr<const std::string>> files;
  std::size_t last_line = 1;  ///< where the first file ends
  std::size_t last_column = 1;

 private:
  void include(const std::string& name);
  void add(Mark mark, const std::string& text, std::size_t line, std::size_t column, std::int64_t whole = 0, double real = 0);
  Place here(std::size_t line, std::size_t column) const { return {files[file_], line, column}; }

  std::vector<fs::path> open_;  ///< files that are being read, each sourced by the one before
  std::size_t file_ = 0;
  std::size_t bytes_ = 0;
  std::vector<Place> brackets_;  ///< those that are open
  std::optional<Place> source_;  ///< a `source` whose file is still to be named
};

template <typename Rule>
struct Scan : pegtl::nothing<Rule> {};
template <>
struct Scan<text::word> {
  template <typename Input>
  static void apply(const Input& in, Scanner& scanner) {
    scanner.word(in.string(), in.iterator().line, in.iterator().column);
  }
};
template <>
struct Scan<text::sign> {
  template <typename Input>
  static void apply(const Input& in, Scanner& scanner) {
    scanner.sign(in.peek_char(), in.iterator().line, in.iterator().column);
  }
};

void Scanner::scan(const fs::path& path) {
  std::error_code ignored;
  fs::path whole = fs::weakly_canonical(path, ignored);
  if (const auto again = std::find(open_.begin(), open_.end(), whole); again != open_.end()) {
    std::string circle;
    for (auto i = again; i != open_.end(); ++i) circle += i->filename().string() + ", ";
    throw error_at(*source_, fmt::format("the files source each other in a circle: {}{}", circle, whole.filename().string()));
  }
  if (files.size() == kMaxFiles) throw error_at(*source_, fmt::format("more than {} files are sourced", kMaxFiles));
  if (open_.size() == kDeepest) throw error_at(*source_, fmt::format("files source each other more than {} deep", kDeepest));
  std::string content;
  try {
    content = core::read_input(path);
  } catch (const core::InputError& error) {
    if (!source_) throw;
    throw error_at(*source_, fmt::format("the sourced file {}", error.what()));
  }
  bytes_ += content.size();
  if (bytes_ > kMaxBytes) throw error_at(*source_, fmt::format("the sourced files have more than {} bytes", kMaxBytes));
  source_.reset();
  open_.push_back(std::move(whole));
  const std::size_t outer = std::exchange(file_, files.size());
  files.push_back(std::make_shared<const std::string>(path.string()));

  pegtl::memory_input<> in(content, *files[file_]);
  try {
    pegtl::parse<text::file, Scan>(in, *this);
  } catch (const pegtl::parse_error& error) {
    const pegtl::position& at = error.positions().front();
    throw error_at(here(at.line, at.column),
                   fmt::format("found {}, expected the text of a DiskSim parameter file", show(content[at.byte])));
  }
  if (source_) throw error_at(*source_, "the name of the sourced file is missing");
  // An open bracket is reported here. Otherwise it would be noticed only when the file that sources this one continues.
  if (open_.size() > 1 && !brackets_.empty() && brackets_.back().file == files[file_])
    throw error_at(here(in.iterator().line, in.iterator().column),
                   fmt::format("found the end of the file, expected the end of what begins in line {}", brackets_.back().line));
  last_line = in.iterator().line;
  last_column = in.iterator().column;
  open_.pop_back();
  file_ = outer;
}

void Scanner::add(Mark mark, const std::string& text, std::size_t line, std::size_t column, std::int64_t whole, double real) {
  if (tokens.size() == kMaxTokens)
    throw error_at(here(line, column), fmt::format("there are more than {} words and signs", kMaxTokens));
  tokens.push_back({mark, static_cast<std::uint32_t>(file_), static_cast<std::uint32_t>(line),
                    static_cast<std::uint32_t>(column), text, whole, real});
}

void Scanner::word(const std::string& text, std::size_t line, std::size_t column) {
  if (source_) return scan(fs::path(*files[file_]).parent_path() / text);
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (text == "source") {
    source_ = here(line, column);
  } else if (text == "topology") {
    add(kTopology, text, line, column);
  } else if (text == "instantiate") {
    add(kInstantiate, text, line, column);
  } else if (text == "as") {
    add(kAs, text, line, column);
  } else if (text == "..") {
    add(kTo, text, line, column);
  } else if (is<text::whole>(text) || is<text::hexadecimal>(text)) {
    std::int64_t value = 0;
    std::from_chars_result result{};
    if (const std::size_t x = text.find('x'); x == std::string::npos) {
      result = std::from_chars(begin, end, value);
    } else {
      result = std::from_chars(begin + x + 1, end, value, 16);
      if (text.front() == '-') value = -value;
    }
    if (result.ec != std::errc()) throw error_at(here(line, column), fmt::format("the number {} is too large", text));
    add(kWhole, text, line, column, value, static_cast<double>(value));
  } else if (is<text::real>(text)) {
    double value = 0;
    if (std::from_chars(begin, end, value).ec != std::errc())
      throw error_at(here(line, column), fmt::format("the number {} is out of range", text));
    add(kReal, text, line, column, 0, value);
  } else {
    add(kWord, text, line, column);
  }
}

void Scanner::sign(char c, std::size_t line, std::size_t column) {
  if (source_) throw error_at(here(line, column), fmt::format("found {}, expected the name of the sourced file", show(c)));
  if (c == '{' || c == '[') {
    if (brackets_.size() == kDeepest)
      throw error_at(here(line, column), fmt::format("blocks and lists are nested more than {} deep", kDeepest));
    brackets_.push_back(here(line, column));
  } else if ((c == '}' || c == ']') && !brackets_.empty()) {
    brackets_.pop_back();
  }
  add(static_cast<Mark>(c), std::string(1, c), line, column);
}

// --- sentences -------------------------------------------------------------------------------------------------------
//
// The grammar runs over the tokens' marks, one character each; an action's place in that text is its token's number.

class Builder {
 public:
  Builder(const Scanner& scanner, Document& document) : scanner_(scanner), document_(document) {}

  Place place(std::size_t token) const {
    const Token& t = scanner_.tokens[token];
    return {scanner_.files[t.file], t.line, t.column};
  }

  void scalar(std::size_t token);
  void range(std::size_t first);
  void open_list(std::size_t token) { open(Value::Kind::List, token); }
  void open_component(std::size_t token);
  void open_block(std::size_t token, std::size_t words);
  void keys(std::size_t first, std::size_t count, bool one_name);
  void close();
  void instantiate(std::size_t token) { instantiation_.place = place(token); }
  void instance_type(std::size_t token);

 private:
  struct Frame {
    Value value;
    std::shared_ptr<Block> block;
    std::set<std::string> names;                      ///< of the block's keys
    std::vector<std::pair<std::string, Place>> keys;  ///< to which the next value is assigned
  };
  const std::string& text(std::size_t token) const { return scanner_.tokens[token].text; }
  Frame& open(Value::Kind kind, std::size_t token);
  void deliver(Value&& value);
  void finish(Frame& frame);

  const Scanner& scanner_;
  Document& document_;
  std::vector<Frame> frames_;
  Instantiation instantiation_;
};

namespace grammar {

using pegtl::at;
using pegtl::must;
using pegtl::one;
using pegtl::opt;
using pegtl::plus;
using pegtl::seq;
using pegtl::sor;
using pegtl::star;

struct value;
struct comma : one<','> {};
struct scalar : one<kWord, kWhole, kReal> {};
struct range_end : one<kWord> {};
struct range : seq<one<kWord>, one<kTo>, must<range_end>> {};
struct list_open : one<'['> {};
struct list_close : one<']'> {};
struct item : sor<range, value> {};
// A comma too many, at the front or the end, is harmless.
struct list : seq<list_open, opt<comma>, opt<item, star<comma, item>, opt<comma>>, must<list_close>> {};

struct names : plus<one<kWord>> {};
struct shared_names : seq<one<'['>, one<kWord>, star<comma, one<kWord>>, one<']'>, at<one<'='>>> {};
struct equals : one<'='> {};
struct assigned : seq<value> {};
struct assignment : seq<sor<names, shared_names>, must<equals>, must<assigned>> {};
struct body_open : one<'{'> {};
struct body_close : one<'}'> {};
struct body : seq<body_open, opt<comma>, opt<assignment, star<comma, assignment>, opt<comma>>, must<body_close>> {};

struct value_head : one<kWord> {};
struct definition_head : seq<one<kWord>, one<kWord>> {};
struct component_head : seq<one<kWord>, one<kWord>> {};
struct block_value : seq<at<one<kWord>, one<'{'>>, value_head, body> {};
struct definition : seq<at<one<kWord>, one<kWord>, one<'{'>>, definition_head, body> {};
struct component_end : pegtl::success {};
struct component : seq<at<one<kWord>, one<kWord>, one<'['>>, component_head, list, component_end> {};
struct value : sor<list, definition, block_value, component, scalar> {};

struct root : component {};
struct topology : seq<one<kTopology>, must<root>> {};
struct instances : list {};
struct as : one<kAs> {};
struct instance_type : one<kWord> {};
struct instantiate : one<kInstantiate> {};
struct instantiation : seq<instantiate, must<instances, as, instance_type>> {};
struct statement : sor<topology, instantiation, definition> {};
struct document : pegtl::until<pegtl::eof, must<statement>> {};

template <typename Rule>
inline constexpr const char* message = nullptr;
template <>
inline constexpr const char* message<range_end> = "the last name of the range";
template <>
inline constexpr const char* message<list_close> = "a comma or ]";
template <>
inline constexpr const char* message<equals> = "=";
template <>
inline constexpr const char* message<assigned> = "a number, a word, a list or a block";
template <>
inline constexpr const char* message<body_close> = "a comma or }";
template <>
inline constexpr const char* message<root> = "a component: its type, its name and a list";
template <>
inline constexpr const char* message<instances> = "a list of names";
template <>
inline constexpr const char* message<as> = "as";
template <>
inline constexpr const char* message<instance_type> = "the name of a block";
template <>
inline constexpr const char* message<statement> = "a block (TYPE NAME { ... }), instantiate, topology or source";

struct Messages {
  template <typename Rule>
  static constexpr const char* message = grammar::message<Rule>;
};
template <typename Rule>
using Control = pegtl::must_if<Messages>::control<Rule>;

template <typename Rule>
struct Build : pegtl::nothing<Rule> {};

// The number of the first token that a rule has matched.
template <typename Input>
std::size_t first(const Input& in) {
  return in.iterator().byte;
}

template <>
struct Build<scalar> {
  template <typename Input>
  static void apply(const Input& in, Builder& builder) {
    builder.scalar(first(in));
  }
};
template <>
struct Build<range> {
  template <typename Input>
  static void apply(const Input& in, Builder& builder) {
    builder.range(first(in));
  }
};
template <>
struct Build<list_open> {
  template <typename Input>
  static void apply(const Input& in, Builder& builder) {
    builder.open_list(first(in));
  }
};
template <>
struct Build<list_close> {
  static void apply0(Builder& builder) { builder.close(); }
};
template <>
struct Build<names> {
  template <typename Input>
  static void apply(const Input& in, Builder& builder) {
    builder.keys(first(in), in.size(), true);
  }
};
template <>
struct Build<shared_names> {
  template <typename Input>
  static void apply(const Input& in, Builder& builder) {
    builder.keys(first(in), in.size(), false);
  }
};
template <>
struct Build<value_head> {
  template <typename Input>
  static void apply(const Input& in, Builder& builder) {
    builder.open_block(first(in), 1);
  }
};
template <>
struct Build<definition_head> {
  template <typename Input>
  static void apply(const Input& in, Builder& builder) {
    builder.open_block(first(in), 2);
  }
};
template <>
struct Build<body_close> {
  static void apply0(Builder& builder) { builder.close(); }
};
template <>
struct Build<component_head> {
  template <typename Input>
  static void apply(const Input& in, Builder& builder) {
    builder.open_component(first(in));
  }
};
template <>
struct Build<component_end> {
  static void apply0(Builder& builder) { builder.close(); }
};
template <>
struct Build<instantiate> {
  template <typename Input>
  static void apply(const Input& in, Builder& builder) {
    builder.instantiate(first(in));
  }
};
template <>
struct Build<instance_type> {
  template <typename Input>
  static void apply(const Input& in, Builder& builder) {
    builder.instance_type(first(in));
  }
};

}  // namespace grammar

Builder::Frame& Builder::open(Value::Kind kind, std::size_t token) {
  Frame& frame = frames_.emplace_back();
  frame.value.kind = kind;
  frame.value.place = place(token);
  return frame;
}

void Builder::scalar(std::size_t token) {
  const Token& t = scanner_.tokens[token];
  Value value;
  value.kind = t.mark == kWhole ? Value::Kind::Whole : t.mark == kReal ? Value::Kind::Real : Value::Kind::Word;
  value.place = place(token);
  value.text = t.text;
  value.whole = t.whole;
  value.real = t.real;
  deliver(std::move(value));
}

/// disk3 .. disk7
void Builder::range(std::size_t first) {
  const auto split = [this](std::size_t token, std::int64_t& number) {
    const std::string& name = text(token);
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    const char* end = name.data() + name.size();
    if (digits == 0 || std::from_chars(name.data() + digits, end, number).ec != std::errc())
      throw error_at(place(token), fmt::format("found {}, expected a name that ends with a number", name));
    return name.substr(0, digits);
  };
  std::int64_t from = 0;
  std::int64_t to = 0;
  const std::string prefix = split(first, from);
  if (split(first + 2, to) != prefix || to < from || to - from >= kLongestRange)
    throw error_at(place(first), fmt::format("{} .. {} is not a range of names", text(first), text(first + 2)));
  for (std::int64_t i = from; i <= to; ++i) {
    Value value;
    value.place = place(first);
    value.text = prefix + std::to_string(i);
    deliver(std::move(value));
  }
}

void Builder::open_component(std::size_t token) {
  Value& value = open(Value::Kind::Component, token).value;
  value.text = text(token);
  value.name = text(token + 1);
}

void Builder::open_block(std::size_t token, std::size_t words) {
  Frame& frame = open(Value::Kind::Block, token);
  frame.block = std::make_shared<Block>();
  frame.block->place = frame.value.place;
  frame.block->type = text(token);
  if (words == 2) frame.block->name = text(token + 1);
}

void Builder::keys(std::size_t first, std::size_t count, bool one_name) {
  Frame& frame = frames_.back();
  if (one_name) {
    std::string key = text(first);
    for (std::size_t i = 1; i < count; ++i) key += " " + text(first + i);
    frame.keys.emplace_back(std::move(key), place(first));
    return;
  }
  for (std::size_t i = first; i < first + count; ++i)
    if (scanner_.tokens[i].mark == kWord) frame.keys.emplace_back(text(i), place(i));
}

void Builder::close() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  if (frame.block) finish(frame);
  deliver(std::move(frame.value));
}

void Builder::finish(Frame& frame) {
  Block& block = *frame.block;
  // A type may be the name of a block: keys that are not assigned here are copied from that block.
  if (const auto base = document_.named.find(block.type); base != document_.named.end()) {
    block.type = base->second->type;
    for (const Assignment& assignment : base->second->assignments)
      if (frame.names.count(assignment.key) == 0) block.assignments.push_back(assignment);
  }
  frame.value.block = frame.block;
  if (!block.name.empty() && !document_.named.emplace(block.name, frame.block).second)
    document_.redefined.push_back(frame.block);
}

void Builder::deliver(Value&& value) {
  if (frames_.empty()) {
    if (value.kind == Value::Kind::Block) document_.blocks.push_back(value.block);
    if (value.kind == Value::Kind::Component)
      document_.topologies.push_back(std::move(value));
    else if (value.kind == Value::Kind::List)
      instantiation_.components = std::move(value.items);
    return;
  }
  Frame& frame = frames_.back();
  if (frame.value.kind == Value::Kind::List) {
    frame.value.items.push_back(std::move(value));
  } else if (frame.value.kind == Value::Kind::Component) {
    frame.value.items = std::move(value.items);
  } else {
    for (auto& [key, place] : frame.keys) {
      if (!frame.names.insert(key).second) throw error_at(place, fmt::format("{} is assigned twice in this block", key));
      frame.block->assignments.push_back({place, key, value});
    }
    frame.keys.clear();
  }
}

void Builder::instance_type(std::size_t token) {
  instantiation_.type = text(token);
  document_.instantiations.push_back(std::move(instantiation_));
  instantiation_ = {};
}

}  // namespace

core::InputError error_at(const Place& place, const std::string& message) {
  return {place.file ? *place.file : std::string(), place.line, place.column, message};
}

double Value::shifted(int decimals) const {
  if (kind == Kind::Whole) return real * std::pow(10.0, decimals);
  // Files usually have no exponent; with one, a multiplication is accurate enough.
  if (text.find('e') != std::string::npos) return real * std::pow(10.0, decimals);
  const std::string moved = text + "e" + std::to_string(decimals);
  double value = 0;
  std::from_chars(moved.data(), moved.data() + moved.size(), value);
  return value;
}

std::string Value::what() const {
  switch (kind) {
    case Kind::Whole:
    case Kind::Real: return text;
    case Kind::Word: return "the word " + text;
    case Kind::List: return "a list";
    case Kind::Block: return "a block " + block->type;
    case Kind::Component: return "a component " + text;
  }
  return {};
}

Document read_document(const fs::path& file) {
  Scanner scanner;
  scanner.scan(file);
  std::string marks;
  marks.reserve(scanner.tokens.size());
  for (const Token& token : scanner.tokens) marks += static_cast<char>(token.mark);
  Document document;
  Builder builder(scanner, document);
  pegtl::memory_input<> in(marks, "");
  try {
    pegtl::parse<grammar::document, grammar::Build, grammar::Control>(in, builder);
  } catch (const pegtl::parse_error& error) {
    const std::size_t token = error.positions().front().byte;
    const bool at_end = token >= scanner.tokens.size();
    const Place place = at_end ? Place{scanner.files.front(), scanner.last_line, scanner.last_column} : builder.place(token);
    throw error_at(place, fmt::format("found {}, expected {}", at_end ? "the end of the file" : scanner.tokens[token].text,
                                      error.message()));
  }
  for (const auto& name : scanner.files) document.files.push_back(*name);
  return document;
}

// --- seek curves -----------------------------------------------------------------------------------------------------

std::vector<SeekPoint> read_seek_curve(const fs::path& file) {
  const std::string content = core::read_input(file);
  std::vector<SeekPoint> points;
  std::optional<std::size_t> announced;
  std::istringstream lines(content);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const std::string_view separators = ", \t\r";
    const char* end = line.data() + line.size();
    const auto fail = [&](const char* at, const std::string& message) -> core::InputError {
      return {file.string(), number, static_cast<std::size_t>(at - line.data()) + 1, message};
    };
    const auto skip = [&](const char* at) {
      while (at != end && separators.find(*at) != std::string_view::npos) ++at;
      return at;
    };
    const char* at = skip(line.data());
    if (at == end || *at == '#') continue;
    const std::string_view header = "Seek distances measured:";
    if (points.empty() && !announced && line.compare(0, header.size(), header) == 0) {
      std::size_t count = 0;
      if (std::from_chars(skip(line.data() + header.size()), end, count).ec != std::errc())
        throw fail(line.data() + header.size(), "expected the number of distances");
      announced = count;
      continue;
    }
    SeekPoint point;
    point.line = number;
    std::from_chars_result result = std::from_chars(at, end, point.distance);
    if (result.ec != std::errc() || result.ptr == end || separators.find(*result.ptr) == std::string_view::npos)
      throw fail(at, "expected a line \"cylinders, milliseconds\"");
    // Reads a time in milliseconds as microseconds: shifts the decimals first and rounds once.
    const auto read_time = [&](double& us) {
      const char* number_end = at;
      while (number_end != end && separators.find(*number_end) == std::string_view::npos) ++number_end;
      std::string time(at, number_end);
      const bool scaled = time.find_first_of("eE") == std::string::npos;
      if (scaled) time += "e3";
      result = std::from_chars(time.data(), time.data() + time.size(), us);
      if (result.ec != std::errc() || result.ptr != time.data() + time.size() || !std::isfinite(us))
        throw fail(at, "expected a time in milliseconds");
      if (!scaled) us *= 1e3;
      if (!(us >= 0 && us < 4e6)) throw fail(at, "expected a time from 0 to 4000 milliseconds");
      at = skip(number_end);
    };
    at = skip(result.ptr);
    read_time(point.us);
    double deviation = 0;
    if (at != end) {
      result = std::from_chars(at, end, deviation);
      if (result.ec != std::errc() || (result.ptr != end && separators.find(*result.ptr) == std::string_view::npos))
        throw fail(at, "expected nothing more than a deviation and a time of writes on this line");
      at = skip(result.ptr);
    }
    if (at != end) read_time(point.write_us.emplace());
    if (at != end) throw fail(at, "expected nothing more than a deviation and a time of writes on this line");
    if (!points.empty() && points.front().write_us.has_value() != point.write_us.has_value())
      throw fail(line.data(), "expected a time of writes on every line or on none");
    points.push_back(point);
  }
  if (announced && points.size() < *announced)
    throw core::InputError(
        file.string(), 1, 0,
        fmt::format("announces {} distances but holds {}: the file seems to be cut short", *announced, points.size()));
  if (points.empty())
    throw core::InputError(file.string(), 0, 0, "holds no point of a seek curve, expected lines \"cylinders, milliseconds\"");
  return points;
}

}  // namespace platter::disksim

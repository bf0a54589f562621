// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "platter/import/disksim_syntax.h"
#include "temporary_files.h"

namespace platter::disksim {
namespace {

namespace fs = std::filesystem;
using core::InputError;

class DisksimSyntaxTest : public platter::testing::TemporaryFiles {
 protected:
  Document read(const std::string& text) const { return read_document(file("a.parv", text)); }
  void expect_error(const fs::path& path, const std::string& part, const std::string& where, std::size_t line,
                    std::size_t column) const {
    try {
      read_document(path);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_EQ(fs::path(error.file()).filename(), where) << error.what();
      EXPECT_EQ(error.line(), line) << error.what();
      EXPECT_EQ(error.column(), column) << error.what();
      return;
    }
    ADD_FAILURE() << "no error, expected " << part;
  }
  void expect_error(const std::string& text, const std::string& part, std::size_t line, std::size_t column) const {
    expect_error(file("a.parv", text), part, "a.parv", line, column);
  }
  std::vector<SeekPoint> seek(const std::string& text) const { return read_seek_curve(file("a.seek", text)); }
  void expect_seek_error(const std::string& text, const std::string& part, std::size_t line) const {
    try {
      seek(text);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_EQ(error.line(), line) << error.what();
      return;
    }
    ADD_FAILURE() << "no error, expected " << part;
  }
};

TEST_F(DisksimSyntaxTest, AllKindsOfValues) {
  const Document d = read(
      "kind NAME {  # a comment, with { and [\n"
      "  whole = -12, hexadecimal = 0x1f, real = 1.50, signed real = -2.5e-3,\n"
      "  two words = word, Add. a/b (in c) = 2nd,\n"
      "  list = [ 1, two, [ 3.0 ], inner { a = 1 }, comp name [ sub below [] ] ],\n"
      "  empty = [], block = other { }, named = other INNER { x = 1 }\n"
      "}\n");
  ASSERT_EQ(d.blocks.size(), 1u);
  const Block& b = *d.blocks[0];
  EXPECT_EQ(b.type, "kind");
  EXPECT_EQ(b.name, "NAME");
  ASSERT_EQ(b.assignments.size(), 10u);
  EXPECT_EQ(b.assignments[0].value.kind, Value::Kind::Whole);
  EXPECT_EQ(b.assignments[0].value.whole, -12);
  EXPECT_EQ(b.assignments[1].value.whole, 31);
  EXPECT_EQ(b.assignments[2].value.kind, Value::Kind::Real);
  EXPECT_EQ(b.assignments[2].value.real, 1.5);
  EXPECT_EQ(b.assignments[3].key, "signed real");
  EXPECT_EQ(b.assignments[3].value.real, -0.0025);
  EXPECT_EQ(b.assignments[4].key, "two words");
  EXPECT_EQ(b.assignments[4].value.text, "word");
  EXPECT_EQ(b.assignments[5].key, "Add. a/b (in c)");
  EXPECT_EQ(b.assignments[5].value.kind, Value::Kind::Word);
  EXPECT_EQ(b.assignments[5].place.line, 3u);
  EXPECT_EQ(b.assignments[5].place.column, 21u);
  const Value& list = b.assignments[6].value;
  ASSERT_EQ(list.items.size(), 5u);
  EXPECT_EQ(list.items[2].items[0].real, 3.0);
  EXPECT_EQ(list.items[3].block->type, "inner");
  EXPECT_EQ(list.items[4].kind, Value::Kind::Component);
  EXPECT_EQ(list.items[4].name, "name");
  EXPECT_EQ(list.items[4].items[0].name, "below");
  EXPECT_TRUE(b.assignments[7].value.items.empty());
  EXPECT_TRUE(b.assignments[8].value.block->assignments.empty());
  EXPECT_EQ(d.named.count("INNER"), 1u);
}

TEST_F(DisksimSyntaxTest, WhatLooksLikeANumberButIsAWord) {
  const Document d = read("k N { a = 5., b = .5, c = 1e3, d = 1.0e3, e = +1, f = 0x, g = x#y }");
  for (const Assignment& a : d.blocks[0]->assignments) EXPECT_EQ(a.value.kind, Value::Kind::Word) << a.value.text;
}

TEST_F(DisksimSyntaxTest, TimesAreShiftedExactly) {
  const Document d = read("k N { a = 1.15700, b = 0.1, c = 7, d = 2.5e+1, e = -0.642 }");
  const auto us = [&](std::size_t i) { return d.blocks[0]->assignments[i].value.shifted(3); };
  EXPECT_EQ(us(0), 1157.0);
  EXPECT_EQ(us(1), 100.0);
  EXPECT_EQ(us(2), 7000.0);
  EXPECT_EQ(us(3), 25000.0);
  EXPECT_EQ(us(4), -642.0);
}

TEST_F(DisksimSyntaxTest, SystemsAndRanges) {
  const Document d = read(
      "instantiate [ disk0 .. disk2, other ] as SPEC\r\n"
      "topology disksim_iodriver driver0 [ disksim_bus bus0 [ disksim_disk disk0 [], disksim_disk disk1 [] ] ]\n");
  ASSERT_EQ(d.instantiations.size(), 1u);
  ASSERT_EQ(d.instantiations[0].components.size(), 4u);
  EXPECT_EQ(d.instantiations[0].components[2].text, "disk2");
  EXPECT_EQ(d.instantiations[0].components[3].text, "other");
  EXPECT_EQ(d.instantiations[0].type, "SPEC");
  ASSERT_EQ(d.topologies.size(), 1u);
  EXPECT_EQ(d.topologies[0].text, "disksim_iodriver");
  ASSERT_EQ(d.topologies[0].items[0].items.size(), 2u);
  EXPECT_EQ(d.topologies[0].items[0].items[1].name, "disk1");
  expect_error("instantiate [ disk3 .. disk1 ] as SPEC", "is not a range of names", 1, 15);
  expect_error("instantiate [ disk0 .. bus3 ] as SPEC", "is not a range of names", 1, 15);
  expect_error("instantiate [ disk .. disk3 ] as SPEC", "ends with a number", 1, 15);
  expect_error("instantiate [ d0 .. d99999999999 ] as SPEC", "is not a range of names", 1, 15);
}

TEST_F(DisksimSyntaxTest, ABlockMayStartFromAnotherOne) {
  const Document d = read("kind A { x = 1, y = 2 }\nA B { y = 3 }\nB C { z = 4 }\nkind A { x = 9 }\n");
  const Block& c = *d.named.at("C");
  EXPECT_EQ(c.type, "kind");
  ASSERT_EQ(c.assignments.size(), 3u);
  EXPECT_EQ(c.assignments[0].value.whole, 4);
  EXPECT_EQ(c.assignments[1].value.whole, 3);
  EXPECT_EQ(c.assignments[2].value.whole, 1);
  EXPECT_EQ(d.named.at("A")->assignments[0].value.whole, 1);  // the first definition counts
  EXPECT_EQ(d.redefined.size(), 1u);
}

TEST_F(DisksimSyntaxTest, OneValueForSeveralKeys) {
  const Document d = read("kind A { [ x, y ] = 5, z = 6 }");
  ASSERT_EQ(d.blocks[0]->assignments.size(), 3u);
  EXPECT_EQ(d.blocks[0]->assignments[1].key, "y");
  EXPECT_EQ(d.blocks[0]->assignments[1].value.whole, 5);
}

TEST_F(DisksimSyntaxTest, SourcedFilesStandWhereTheyAreNamed) {
  file("sub/b.model", "kind B { list = source c.part }  # no newline at the end");
  file("sub/c.part", "[ 1, 2 ]");
  const Document d = read("# first\nsource sub/b.model\nkind A { part = source sub/b.model, last = 3 }\n");
  ASSERT_EQ(d.blocks.size(), 2u);
  EXPECT_EQ(d.blocks[0]->assignments[0].value.items.size(), 2u);
  EXPECT_EQ(fs::path(*d.blocks[0]->place.file).filename(), "b.model");
  EXPECT_EQ(d.blocks[0]->place.line, 1u);
  const Block& a = *d.blocks[1];
  EXPECT_EQ(a.place.line, 3u);
  EXPECT_EQ(a.assignments[0].value.block->type, "kind");
  EXPECT_EQ(a.assignments[1].value.whole, 3);
  EXPECT_EQ(d.files.size(), 5u);
}

TEST_F(DisksimSyntaxTest, SourceErrors) {
  expect_error("kind A {\n  x = source nowhere.model\n}", "no such file", 2, 7);
  expect_error("source", "the name of the sourced file is missing", 1, 1);
  expect_error("source {", "expected the name of the sourced file", 1, 8);
  expect_error("source .", "is a folder", 1, 1);
  file("b", "source a.parv");
  expect_error(file("a.parv", "\nsource b"), "in a circle: a.parv, b, a.parv", "b", 1, 1);
  expect_error("source a.parv", "in a circle", 1, 1);
  file("cut", "kind B {\n  x = [ 1,\n");
  expect_error(file("a.parv", "source cut\ntopology t n []"), "expected the end of what begins in line 2", "cut", 3, 1);
  for (int i = 0; i < 20; ++i) {  // 2^20 files if nothing stopped it
    const std::string next = "f" + std::to_string(i + 1);
    file("f" + std::to_string(i), "source " + next + "\nsource " + next + "\n");
  }
  file("f20", "");
  EXPECT_THROW(read_document(dir_ / "f0"), InputError);
  EXPECT_THROW(read_document(dir_ / "no.parv"), InputError);
  EXPECT_THROW(read_document(dir_), InputError);
  EXPECT_THROW(read_document("/dev/zero"), InputError);
}

TEST_F(DisksimSyntaxTest, ErrorsSayWhereAndWhat) {
  expect_error("kind A {\n  x = 1\n  y = 2\n}", "found y, expected a comma or }", 3, 3);
  expect_error("kind A {\n  x 1\n}", "found 1, expected =", 2, 5);
  expect_error("kind A { x = , y = 2 }", "found ,, expected a number, a word, a list or a block", 1, 14);
  expect_error("kind A { x = [ 1 2 ] }", "found 2, expected a comma or ]", 1, 18);
  expect_error("kind A { x = 1", "found the end of the file, expected a comma or }", 1, 15);
  expect_error("kind A { x = [ 1,\n", "found the end of the file, expected a comma or ]", 2, 1);
  expect_error("kind A { x = ", "found the end of the file", 1, 14);
  expect_error("x = 1", "found x, expected a block (TYPE NAME { ... }), instantiate, topology or source", 1, 1);
  expect_error("kind A { x = 1 } }", "found }, expected a block", 1, 18);
  expect_error("topology driver0 []", "expected a component", 1, 10);
  expect_error("instantiate disk0 as A", "expected a list of names", 1, 13);
  expect_error("instantiate [ disk0 ] A", "expected as", 1, 23);
  expect_error("instantiate [ disk0 ] as", "expected the name of a block", 1, 25);
  expect_error("kind A { x = 1, x = 2 }", "x is assigned twice", 1, 17);
  expect_error("kind A { x = 99999999999999999999 }", "is too large", 1, 14);
  expect_error("kind A { x = 1.0e+999 }", "is out of range", 1, 14);
  expect_error(std::string("kind A {\n x\0 = 1 }", 18), "found the byte 0x00", 2, 3);
  expect_error("kind A { \x80 = 1 }", "found the byte 0x80", 1, 10);
  expect_error("# caf\xe9\nkind A { x = \"1\" }?", "found ?, expected a block", 2, 19);
  expect_error("kind A { x = " + std::string(100'000, '['), "nested more than 64 deep", 1, 77);
  EXPECT_NO_THROW(read(""));
}

TEST_F(DisksimSyntaxTest, SeekCurves) {
  const auto points = seek("Seek distances measured: 3\n1,\t1.24500\n2, 1.15700\r\n\n300,10.1\n");
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].us, 1245.0);
  EXPECT_EQ(points[1].us, 1157.0);
  EXPECT_EQ(points[2].distance, 300u);
  EXPECT_EQ(points[2].us, 10100.0);
  EXPECT_EQ(points[2].line, 5u);
  const auto plain = seek("1, 0.5257, 0.024385\n7, 1.5e-1");
  EXPECT_EQ(plain[0].us, 525.7);
  EXPECT_DOUBLE_EQ(plain[1].us, 150.0);
  expect_seek_error("Seek distances measured: 4\n1, 1.0\n2, 2.0\n", "announces 4 distances but holds 2", 1);
  expect_seek_error("Seek distances measured: many\n", "expected the number of distances", 1);
  expect_seek_error("1, 1.0\n2; 2.0\n", "expected a line", 2);
  expect_seek_error("1, 1.0\n2\n", "expected a line", 2);
  expect_seek_error("1, 1.0\n2, \n", "expected a time in milliseconds", 2);
  expect_seek_error("1, 1.0\n2, fast\n", "expected a time in milliseconds", 2);
  expect_seek_error("1, -1.0\n", "expected a time from 0 to 4000", 1);
  expect_seek_error("1, 1.0, 0.1, 7, 8\n", "expected nothing more", 1);
  expect_seek_error("-1, 1.0\n", "expected a line", 1);
  expect_seek_error("", "holds no point", 0);
  EXPECT_THROW(read_seek_curve(dir_ / "nowhere.seek"), InputError);
}

}  // namespace
}  // namespace platter::disksim

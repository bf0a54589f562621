// SPDX-License-Identifier: Apache-2.0
#include "platter/params/schema_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace platter::params {
namespace {

using nlohmann::json;

json long_one(const std::string& meaning) {
  return {{"type", "object"}, {"description", meaning + std::string(120, '.')}, {"properties", {{"a", {{"type", "number"}}}}}};
}

/// With each reference replaced by what it names.
json whole(const json& value, const json& definitions) {
  if (value.is_object() && value.contains("$ref"))
    return whole(definitions.at(value.at("$ref").get<std::string>().substr(8)), definitions);
  json result = value;
  if (value.is_structured())
    for (auto& [key, inner] : result.items()) inner = whole(inner, definitions);
  return result;
}

TEST(SchemaText, WritesOnceWhatStandsSeveralTimes) {
  json schema = {
      {"properties", {{"x", long_one("one")}, {"y", {{"properties", {{"z", long_one("one")}}}}}, {"w", long_one("two")}}}};
  const json found = json::parse(schema_text(schema));
  EXPECT_EQ(found.at("/properties/x/$ref"_json_pointer), "#/$defs/x");
  EXPECT_EQ(found.at("/properties/y/properties/z/$ref"_json_pointer), "#/$defs/x");
  EXPECT_FALSE(found.at("/properties/w"_json_pointer).contains("$ref"));
  json without = whole(found, found.at("$defs"));
  without.erase("$defs");
  EXPECT_EQ(without, schema);
}

TEST(SchemaText, KeepsTheDefinitionsThatASchemaHas) {
  json schema = {{"$defs", {{"x", long_one("given")}}},
                 {"properties", {{"x", long_one("one")}, {"y", long_one("one")}, {"z", {{"$ref", "#/$defs/x"}}}}}};
  const json found = json::parse(schema_text(schema));
  EXPECT_EQ(found.at("/$defs/x"_json_pointer), long_one("given"));
  EXPECT_EQ(found.at("/$defs/x_2"_json_pointer), long_one("one"));
  EXPECT_EQ(found.at("/properties/y/$ref"_json_pointer), "#/$defs/x_2");
}

TEST(SchemaText, GivesALineToWhatFits) {
  EXPECT_EQ(schema_text({{"type", "object"}, {"required", {"a"}}}), "{\"required\":[\"a\"],\"type\":\"object\"}");
  EXPECT_EQ(schema_text({{"title", "t"}, {"properties", {{"a", long_one(std::string(120, '.'))}}}}).substr(0, 22),
            "{\n \"properties\": {\n  \"");
}

}  // namespace
}  // namespace platter::params

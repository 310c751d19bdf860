#include "saltus/base/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace saltus {
namespace {

TEST(Text, CharactersAreCountedNotBytes) {
  EXPECT_EQ(character_count(""), 0);
  EXPECT_EQ(character_count("gap"), 3);
  EXPECT_EQ(character_count("ψ₁'"), 3);        // 2 + 3 + 1 bytes
  EXPECT_EQ(character_count("𝜓"), 1);          // 4 bytes
  EXPECT_EQ(character_count("a\xFF\xC3z"), 4);  // each broken byte stands for itself
}

TEST(Text, ARangeOfCharactersIsCutAtCharacterBoundaries) {
  EXPECT_EQ(characters("αβγδ", 1, 3), "βγ");
  EXPECT_EQ(characters("αβγδ", 0, 4), "αβγδ");
  EXPECT_EQ(characters("αβγδ", 2, 99), "γδ");
  EXPECT_EQ(characters("αβγδ", 3, 3), "");
  EXPECT_EQ(characters("αβγδ", 7, 9), "");
}

TEST(Text, BrokenUtf8IsFoundAtItsFirstByte) {
  EXPECT_EQ(invalid_utf8("2·π·ω, €, 𝜓"), std::nullopt);
  EXPECT_EQ(invalid_utf8("ab\x80"), 2U);             // a continuation without a lead
  EXPECT_EQ(invalid_utf8("ψ\xC3"), 2U);              // cut off
  EXPECT_EQ(invalid_utf8("\xC0\xAF"), 0U);           // '/' written too long
  EXPECT_EQ(invalid_utf8("\xE0\x80\xAF"), 0U);       // the same with three bytes
  EXPECT_EQ(invalid_utf8("\xED\xA0\x80"), 0U);       // half of a UTF-16 pair
  EXPECT_EQ(invalid_utf8("\xF4\x90\x80\x80"), 0U);   // beyond U+10FFFF
  EXPECT_EQ(invalid_utf8("\xF4\x8F\xBF\xBF"), std::nullopt);
}

TEST(Text, PrintableTextHasNoControlCharactersAndKeepsItsColumns) {
  EXPECT_EQ(printable("a\tb"), "a b");
  EXPECT_EQ(printable("\x1B[31mψ\x7F\xFF"), "?[31mψ??");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m \xC2\x85 \xC2\xA0"),
            "?31m ? \xC2\xA0")
      << "C1 is U+0080 to U+009F";
  EXPECT_EQ(printable("\xE2\x80\xAE"
                      "a\xE2\x81\xA6 →"),
            "?a? →")
      << "marks that turn the direction";
  EXPECT_EQ(without_controls("a\n\tb\r\x1B[2J\xC2\x9B"), "a\n\tb??[2J?");
  EXPECT_EQ(character_count(printable("\x1B[31mψ\x7F\xFF")), character_count("\x1B[31mψ\x7F\xFF"));
}

TEST(Text, TheEditDistanceCountsInsertionsDeletionsReplacementsAndExchangesOfNeighbours) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("omega", "omeg"), 1);
  EXPECT_EQ(edit_distance("omega", "omegaa"), 1);
  EXPECT_EQ(edit_distance("omega", "omiga"), 1);
  EXPECT_EQ(edit_distance("heigth", "height"), 1);  // t and h exchanged, not two replacements
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(Text, TheEditDistanceIsSymmetric) {
  const std::string words[] = {"psi1", "psi", "phi1", "spi1", "height", "heigth", "x", ""};
  for (const std::string& a : words)
    for (const std::string& b : words) EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << " " << b;
}

TEST(Text, TheClosestNameIsAtMostTwoEditsAway) {
  const std::string names[] = {"gravity", "height", "omega"};
  EXPECT_EQ(closest_name("heigth", names), "height");
  EXPECT_EQ(closest_name("hieghts", names), "height");
  EXPECT_EQ(closest_name("hgt", names), std::nullopt);  // three edits
  EXPECT_EQ(did_you_mean("omgea", names), "did you mean 'omega'?");
  EXPECT_EQ(did_you_mean("velocity", names), "");
}

TEST(Text, AShortNameIsNotReplacedWholly) {
  const std::string names[] = {"q", "xy"};
  EXPECT_EQ(closest_name("x", names), std::nullopt);  // one edit of a name of one letter leaves nothing of it
  EXPECT_EQ(closest_name("xz", names), "xy");
}

TEST(Text, AmongEquallyCloseNamesTheFirstIsSuggestedAndTheNameItselfNever) {
  const std::string names[] = {"psi1", "psi2", "psi3"};
  EXPECT_EQ(closest_name("psi4", names), "psi1");
  EXPECT_EQ(closest_name("psi1", names), "psi2");
}

TEST(Text, ALongListOfNamesIsCut) {
  const std::string names[] = {"a", "b", "c"};
  EXPECT_EQ(listed(names), "a, b, c");
  EXPECT_EQ(listed(names, 2), "a, b, …");
  EXPECT_EQ(listed({}), "");
}

TEST(Text, TheShortestDecimalReadsBackAsTheSameDouble) {
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(1e-10), "1e-10");
  EXPECT_EQ(shortest(3.0), "3");
  EXPECT_EQ(shortest(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(shortest(-std::numeric_limits<double>::infinity()), "-inf");
  for (const double value : {1.0 / 3.0, 1e308, 5e-324, 123456789.0, std::nextafter(1.0, 2.0)})
    EXPECT_EQ(std::strtod(shortest(value).c_str(), nullptr), value);
  EXPECT_EQ(six_digits(1.0 / 3.0), "0.333333");
}

}  // namespace
}  // namespace saltus

#include "saltus/model/surface_jump.hpp"

#include "tests/model/model_text.hpp"

namespace saltus {
namespace {

std::string model_with(const std::string& surface, const std::string& more = "") {
  return "[parameters]\na = 2\n[mechanics]\ncoordinates = [\"x\", \"y\"]\nmass = [[\"1\", \"0\"], [\"0\", "
         "\"1\"]]\nforce = [\"-x\", \"-y\"]\n[section]\nsurface = \"" +
         surface + "\"\n" + more;
}

TEST(SurfaceJump, BranchesThatDoNotMeetAreRefusedAtTheirPlace) {
  EXPECT_EQ(test::first_message_about(model_with("if(x > 0, 1, 0)")),
            "model.toml:8:12: error: the surface of the section jumps where x = 0, from 0 to 1");
  for (const char* surface :
       {"sign(x)", "if(x > 1e-7, x, -1)", "if(x > 1e6, x, 0)", "x + sign(y)*1e-3", "if(x > 0 and y > 0, 1, -1)",
        "if(x^2 + y^2 > a, x, y)", "floor(x)", "mod(x, 2*pi) - 1", "x - round(y)", "if(x' > 0, x, -x + 1)",
        "if(t > 5, x, y)", "if(not (x < 3 or y < 2), x*y, 6.01 + x - x)"})
    EXPECT_NE(test::first_message_about(model_with(surface)).find("the surface of the section jumps"),
              std::string::npos)
        << surface;
  const std::string about_mod = test::messages_about(model_with("mod(x, 2*pi) - 1"));
  EXPECT_NE(about_mod.find("modulus"), std::string::npos) << about_mod;
}

TEST(SurfaceJump, ContinuousPiecesPass) {
  for (const char* surface :
       {"x", "abs(x) - 1", "max(x, y)", "min(x, 2*x)", "if(x > 0, x, 3*x)", "if(x > 1e-7, x, 2*x - 1e-7)",
        "if(x > 1e6, 1e6, x)", "if(x > y, x*y, x^2 + y*(x - y))", "x*sign(x)", "abs(mod(x, 2) - 1) - 0.5",
        "if(x > 0, sqrt(x), -sqrt(-x))", "if(x > 0 and y > 0, x*y, 0) - 1", "sin(pi*mod(x, 2))", "if(a > 1, x, y)",
        "mod(x, 2) + 2*floor(x/2)"})
    EXPECT_NE(test::model_of(model_with(surface)), nullptr) << surface;
}

TEST(SurfaceJump, IsLookedForWithTheParametersOfEachCase) {
  const std::string text = model_with("if(x > 1, a*x, 2*x)", "[case.steep]\na = 3\n");
  EXPECT_NE(test::first_message_about(text).find("in case 'steep'"), std::string::npos);
}

}  // namespace
}  // namespace saltus

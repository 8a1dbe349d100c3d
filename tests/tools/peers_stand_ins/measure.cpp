// A librungs-measure.so for tests: it launches as often as it is asked to, and
// answers with what it was given.
#include <string>

#include "measure/measure_c.h"

extern "C" const char* rungs_measure(const char* instrument, int samples, int batch,
                                     rungs_launch_fn launch, void* context,
                                     void* stream) {
  static std::string answer;
  for (int i = 0; i < samples * batch; ++i) {
    if (launch(context, i, stream) != 0) {
      answer = R"({"missing":"launch )" + std::to_string(i) + R"( failed"})";
      return answer.c_str();
    }
  }
  answer = R"({"unit":"us","samples":[)";
  for (int i = 0; i < samples; ++i) answer += i == 0 ? "1.5" : ",1.5";
  answer += R"(],"instrument":")" + std::string(instrument) + R"(","stream":)" +
            std::to_string(reinterpret_cast<unsigned long long>(stream)) + "}";
  return answer.c_str();
}

extern "C" const char* rungs_measure_version() {
#ifdef OLD
  return "rungs-measure/0";
#else
  return "rungs-measure/1";
#endif
}

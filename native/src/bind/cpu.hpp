// The level of x86-64 that this processor runs. CMakeLists.txt uses it, too.
#pragma once

namespace fiedler {

inline const char* level() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4")) return "v4";
    if (__builtin_cpu_supports("x86-64-v3")) return "v3";
#endif
    return "baseline";
}

}  // namespace fiedler

// Which build of the core this processor can run. A module of its own: it must load everywhere.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

NB_MODULE(_cpu, m) {
    m.doc() = "What the processor can do.";
    m.def(
        "level",
        []() -> std::string {
#if defined(__x86_64__)
            __builtin_cpu_init();
            if (__builtin_cpu_supports("x86-64-v4")) return "v4";
            if (__builtin_cpu_supports("x86-64-v3")) return "v3";
#endif
            return "baseline";
        },
        "The x86-64 microarchitecture level: `v3` with AVX2, BMI2 and popcnt, `v4` with AVX-512 besides; else "
        "`baseline`.");
}

# Warnings and the flags that verdicts depend on, through one target.
add_library(gate_warnings INTERFACE)
target_compile_definitions(gate_warnings INTERFACE _GNU_SOURCE)
target_compile_options(gate_warnings INTERFACE
	-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes
	-Wmissing-prototypes -Wformat=2 -Wundef -Wvla -Wcast-qual
	-Wwrite-strings -Wswitch-enum -Wdouble-promotion
	# Fused multiply-add would make numbers depend on the compiler.
	-ffp-contract=off
	-fstack-protector-strong -D_FORTIFY_SOURCE=2)
# Criterion's assertion macros trip -Wconversion under gcc.
add_library(gate_strict INTERFACE)
target_compile_options(gate_strict INTERFACE -Wconversion)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
	target_compile_options(gate_warnings INTERFACE
		-Wlogical-op -Wduplicated-cond)
endif()
if(GATE_WERROR)
	target_compile_options(gate_warnings INTERFACE -Werror)
endif()
if(GATE_SANITIZE)
	target_compile_options(gate_warnings INTERFACE
		-fsanitize=address,undefined -fno-sanitize-recover=undefined
		-fno-omit-frame-pointer -U_FORTIFY_SOURCE)
	target_link_options(gate_warnings INTERFACE
		-fsanitize=address,undefined)
endif()

# The one program of ours that runs inside guests: static, tiny, carried in
# the gate binary so that no path has to be found at run time.
set(guest ${CMAKE_BINARY_DIR}/insmod1)
add_custom_command(OUTPUT ${guest}
	COMMAND ${CMAKE_C_COMPILER} -static -Os -s -Wall -Wextra -Werror
		-o ${guest} ${CMAKE_SOURCE_DIR}/gate/runners/guest/insmod1.c
	DEPENDS ${CMAKE_SOURCE_DIR}/gate/runners/guest/insmod1.c
	VERBATIM)
add_custom_target(gate_guest DEPENDS ${guest})
set(GATE_GUEST_OBJECT_SOURCE ${CMAKE_BINARY_DIR}/guest_blob.S)
file(WRITE ${GATE_GUEST_OBJECT_SOURCE} "
	.section .rodata
	.global gate_guest_insmod1
	.global gate_guest_insmod1_end
	.balign 16
gate_guest_insmod1:
	.incbin \"${guest}\"
gate_guest_insmod1_end:
	.byte 0
	.section .note.GNU-stack,\"\",@progbits
")
set_source_files_properties(${GATE_GUEST_OBJECT_SOURCE} PROPERTIES
	OBJECT_DEPENDS ${guest})

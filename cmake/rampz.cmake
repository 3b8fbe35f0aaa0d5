# SPDX-License-Identifier: Apache-2.0
#
# cmake -D OBJECTS=FILE|FILE... -D OBJDUMP=PROGRAM -P rampz.cmake: refuse an AVR application whose handlers would have to save
# RAMPZ, as `carillon build` finds it: it writes the register, or calls avr-libc's functions that do.
string(REPLACE "|" ";" objects "${OBJECTS}")
foreach(object IN LISTS objects)
    execute_process(COMMAND "${OBJDUMP}" -d -t "${object}" OUTPUT_VARIABLE text RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "cannot read ${object}")
    endif()
    # What a handler that the compiler made restores at its end.
    string(REGEX REPLACE "\tpop\tr0\n[^\n]*\tout\t0x3b, r0" "" text "${text}")
    if(text MATCHES "\tout\t0x3b," OR text MATCHES "[*]UND[*][^\n]*_PF\n")
        message(FATAL_ERROR "${object} sets RAMPZ, which handlers do not save: configure with -D CARILLON_RAMPZ=ON")
    endif()
endforeach()

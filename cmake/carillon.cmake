# SPDX-License-Identifier: Apache-2.0
#
# carillon_add_library(TARGET GENERATED): kernel, port, board and generated files as the library TARGET, by the
# manifest in the folder GENERATED.  Two schedules in one project are two calls.

cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH CARILLON_ROOT)

# The strings of the manifest's array `key`, each behind `prefix`.
function(_carillon_list result manifest key prefix)
    string(JSON count LENGTH "${manifest}" ${key})
    set(items "")
    if(count GREATER 0)
        math(EXPR last "${count} - 1")
        foreach(index RANGE ${last})
            string(JSON item GET "${manifest}" ${key} ${index})
            list(APPEND items "${prefix}${item}")
        endforeach()
    endif()
    set(${result} "${items}" PARENT_SCOPE)
endfunction()

function(carillon_add_library target generated)
    cmake_path(ABSOLUTE_PATH generated BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    set(file "${generated}/manifest.json")
    if(NOT EXISTS "${file}")
        message(FATAL_ERROR "no ${file}: `carillon build --generate-only` writes it")
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" manifest)

    string(JSON board GET "${manifest}" board)
    string(JSON compiler GET "${manifest}" compiler)
    string(JSON linker_script GET "${manifest}" linker_script)
    cmake_path(GET CMAKE_C_COMPILER FILENAME used)
    string(REGEX REPLACE "-gcc$" "" family "${compiler}")
    if(compiler MATCHES "-" AND NOT used STREQUAL compiler)
        message(FATAL_ERROR "board ${board} needs ${compiler}, not ${CMAKE_C_COMPILER}: "
                            "configure with --toolchain ${CARILLON_ROOT}/cmake/toolchains/${family}.cmake")
    endif()

    _carillon_list(sources "${manifest}" sources "")
    list(TRANSFORM sources PREPEND "${CARILLON_ROOT}/")
    _carillon_list(board_sources "${manifest}" board_sources "")
    list(TRANSFORM board_sources PREPEND "${generated}/" REGEX "^[.]")
    list(TRANSFORM board_sources PREPEND "${CARILLON_ROOT}/" REGEX "^[^/]")
    _carillon_list(generated_sources "${manifest}" generated "${generated}/")
    _carillon_list(include "${manifest}" include "${CARILLON_ROOT}/")
    _carillon_list(compile_options "${manifest}" compile_options "")
    _carillon_list(warnings "${manifest}" warnings "")
    _carillon_list(cold_options "${manifest}" cold_options "")
    _carillon_list(cold_sources "${manifest}" cold_sources "${CARILLON_ROOT}/")
    _carillon_list(cplusplus_options "${manifest}" cplusplus_options "")
    _carillon_list(linker_inputs "${manifest}" linker_inputs "${generated}/")
    _carillon_list(link_options "${manifest}" link_options "")
    list(REMOVE_ITEM compile_options -std=c11) # not for C++ files of the application
    foreach(source IN LISTS sources board_sources generated_sources)
        if(NOT EXISTS "${source}")
            message(FATAL_ERROR "no ${source}, which ${file} names: generate it again")
        endif()
    endforeach()

    # Objects, not an archive: the kernel's weak hooks and main give way to the application's.  They stand among the link
    # options, because these come before the application's objects whatever the generator is: the order decides addresses.
    set(objects "${target}_objects")
    add_library(${objects} OBJECT ${sources} ${board_sources} ${generated_sources})
    target_include_directories(${objects} PRIVATE "${generated}" ${include})
    target_compile_options(${objects} PRIVATE -std=c11 ${compile_options} ${warnings})
    # What runs once, or on the way out, is compiled for size.
    list(APPEND cold_sources ${board_sources})
    set_property(SOURCE ${cold_sources} TARGET_DIRECTORY ${objects} APPEND PROPERTY COMPILE_OPTIONS ${cold_options})

    add_library(${target} INTERFACE)
    add_dependencies(${target} ${objects})
    target_include_directories(${target} INTERFACE "${generated}" ${include})
    target_compile_options(${target} INTERFACE $<$<COMPILE_LANGUAGE:C>:-std=c11> ${compile_options})
    target_compile_options(${target} INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${cplusplus_options}>")
    target_link_options(${target} INTERFACE ${link_options} ${linker_inputs} $<TARGET_OBJECTS:${objects}>)
    set_property(TARGET ${target} PROPERTY INTERFACE_LINK_DEPENDS ${linker_inputs} $<TARGET_OBJECTS:${objects}>)
    if(linker_script)
        if(linker_script MATCHES "^[.]")
            set(linker_script "${generated}/${linker_script}")
        else()
            set(linker_script "${CARILLON_ROOT}/${linker_script}")
        endif()
        target_link_options(${target} INTERFACE -T "${linker_script}")
        set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_DEPENDS "${linker_script}")
    endif()
endfunction()

# Write the generated files of `schedule` into the folder `out`/generated, now and whenever a file changes from which they are
# made (the schedule, what it includes, its board's), or the command does.
function(carillon_generate command schedule board out)
    cmake_path(ABSOLUTE_PATH schedule BASE_DIRECTORY "${CMAKE_SOURCE_DIR}" NORMALIZE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${schedule}" "${command}")
    set(options "")
    if(board)
        set(options --board "${board}")
    endif()
    execute_process(COMMAND "${command}" build "${schedule}" --generate-only --out "${out}" --depfile "${out}.d" ${options}
                    RESULT_VARIABLE failed OUTPUT_QUIET)
    if(failed)
        message(FATAL_ERROR "carillon build ${schedule} failed")
    endif()
    # What is left of the rule without its target: a file a line, with a backslash before `#` and blanks, and `$` doubled.
    file(READ "${out}.d" inputs)
    string(REGEX REPLACE "^[^\n]*\n (.*)\n$" "\\1" inputs "${inputs}")
    string(REPLACE " \\\n " ";" inputs "${inputs}")
    string(REGEX REPLACE "\\\\([ #])" "\\1" inputs "${inputs}")
    string(REPLACE "$$" "$" inputs "${inputs}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${inputs}")
endfunction()

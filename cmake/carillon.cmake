# SPDX-License-Identifier: Apache-2.0
#
# carillon_add_library(TARGET GENERATED): kernel, port, board and generated files as the object library TARGET, by
# the manifest in the folder GENERATED.  Two schedules in one project are two calls.

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
    if(compiler MATCHES "-" AND NOT used STREQUAL compiler)
        message(FATAL_ERROR "board ${board} needs ${compiler}, not ${CMAKE_C_COMPILER}: "
                            "configure with --toolchain ${CARILLON_ROOT}/cmake/toolchains/arm-none-eabi.cmake")
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
    _carillon_list(linker_inputs "${manifest}" linker_inputs "${generated}/")
    _carillon_list(link_options "${manifest}" link_options "")
    list(REMOVE_ITEM compile_options -std=c11) # not for C++ files of the application
    foreach(source IN LISTS sources board_sources generated_sources)
        if(NOT EXISTS "${source}")
            message(FATAL_ERROR "no ${source}, which ${file} names: generate it again")
        endif()
    endforeach()

    # Objects, not an archive: the kernel's weak hooks and main give way to the application's.
    add_library(${target} OBJECT ${sources} ${board_sources} ${generated_sources})
    target_include_directories(${target} PUBLIC "${generated}" ${include})
    target_compile_options(${target} PUBLIC $<$<COMPILE_LANGUAGE:C>:-std=c11> ${compile_options})
    target_compile_options(${target} PRIVATE ${warnings})
    target_link_options(${target} INTERFACE ${link_options} ${linker_inputs})
    set_property(TARGET ${target} PROPERTY INTERFACE_LINK_DEPENDS ${linker_inputs})
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

# CltbInstall.cmake - what `cmake --install` puts where: command, library, headers, documents, cltb.pc,
# find_package(cltb); manual pages and completions are installed where they are made, in host/
include(CMakePackageConfigHelpers)

install(TARGETS cltb EXPORT cltbTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(TARGET cltb-fathom)
    # Found by pkg-config only, so that the CMake package does not depend on it.
    install(TARGETS cltb-fathom
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/cltb-fathom" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h")
endif()
if(TARGET cltb-cli)
    install(TARGETS cltb-cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/cltb" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING PATTERN "*.h")
install(FILES
    "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
    DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# CMake package
set(cltb_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/cltb")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/cltbConfig.cmake.in" "${PROJECT_BINARY_DIR}/cltbConfig.cmake"
    INSTALL_DESTINATION "${cltb_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cltbConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(EXPORT cltbTargets NAMESPACE cltb:: DESTINATION "${cltb_package_dir}")
install(FILES
    "${PROJECT_BINARY_DIR}/cltbConfig.cmake"
    "${PROJECT_BINARY_DIR}/cltbConfigVersion.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FindZstd.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FindXxHash.cmake"
    DESTINATION "${cltb_package_dir}")

# pkg-config; paths relative to the .pc file where possible, so that an installed tree can be moved
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(cltb_pc_prefix "${CMAKE_INSTALL_PREFIX}")
    set(cltb_pc_libdir "${CMAKE_INSTALL_LIBDIR}")
else()
    file(RELATIVE_PATH cltb_up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
    string(REGEX REPLACE "/$" "" cltb_up "${cltb_up}")
    set(cltb_pc_prefix "\${pcfiledir}/${cltb_up}")
    set(cltb_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(cltb_pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
else()
    set(cltb_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
set(cltb_pc_requires "")
set(cltb_pc_libs "")
foreach(dep IN ITEMS ZSTD:zstd XXHASH:xxhash)
    string(REPLACE ":" ";" dep "${dep}")
    list(GET dep 0 upper)
    list(GET dep 1 name)
    if(PC_${upper}_FOUND)
        string(APPEND cltb_pc_requires " lib${name}")
    else()
        string(APPEND cltb_pc_libs " -l${name}")
    endif()
endforeach()
string(APPEND cltb_pc_libs " ${CMAKE_THREAD_LIBS_INIT} -lm")
string(STRIP "${cltb_pc_requires}" cltb_pc_requires)
string(STRIP "${cltb_pc_libs}" cltb_pc_libs)
# A static library needs the others in every link, a shared one only in a static link.
if(BUILD_SHARED_LIBS)
    set(cltb_pc_private ".private")
    set(cltb_pc_libs_private "${cltb_pc_libs}")
else()
    set(cltb_pc_libs_here " ${cltb_pc_libs}")
endif()
foreach(library IN ITEMS "cltb=probing" "cltb-fathom=probing through Fathom's interface")
    string(REGEX MATCH "^([^=]*)=(.*)" both "${library}")
    set(cltb_pc_name "${CMAKE_MATCH_1}")
    set(cltb_pc_what "${CMAKE_MATCH_2}")
    if(TARGET ${cltb_pc_name})
        set(cltb_pc_subdir "")
        if(NOT cltb_pc_name STREQUAL "cltb")
            set(cltb_pc_subdir "/${cltb_pc_name}")
        endif()
        configure_file("${PROJECT_SOURCE_DIR}/cmake/cltb.pc.in" "${PROJECT_BINARY_DIR}/${cltb_pc_name}.pc" @ONLY)
        install(FILES "${PROJECT_BINARY_DIR}/${cltb_pc_name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
    endif()
endforeach()

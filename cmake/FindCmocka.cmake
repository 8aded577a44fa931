# FindCmocka.cmake - Cmocka::Cmocka: pkg-config says where to look, else the usual folders and CMAKE_PREFIX_PATH
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
    pkg_check_modules(PC_CMOCKA QUIET cmocka)
endif()
find_path(Cmocka_INCLUDE_DIR cmocka.h HINTS ${PC_CMOCKA_INCLUDE_DIRS})
find_library(Cmocka_LIBRARY cmocka HINTS ${PC_CMOCKA_LIBRARY_DIRS})
mark_as_advanced(Cmocka_INCLUDE_DIR Cmocka_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cmocka
    REQUIRED_VARS Cmocka_LIBRARY Cmocka_INCLUDE_DIR
    VERSION_VAR PC_CMOCKA_VERSION
    REASON_FAILURE_MESSAGE "on Debian and Ubuntu: apt-get install libcmocka-dev")

if(Cmocka_FOUND AND NOT TARGET Cmocka::Cmocka)
    add_library(Cmocka::Cmocka UNKNOWN IMPORTED)
    set_target_properties(Cmocka::Cmocka PROPERTIES
        IMPORTED_LOCATION "${Cmocka_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${Cmocka_INCLUDE_DIR}")
endif()

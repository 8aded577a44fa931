# FindLibmd.cmake - Libmd::Libmd: pkg-config says where to look, else the usual folders and CMAKE_PREFIX_PATH
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
    pkg_check_modules(PC_LIBMD QUIET libmd)
endif()
find_path(Libmd_INCLUDE_DIR sha2.h HINTS ${PC_LIBMD_INCLUDE_DIRS})
find_library(Libmd_LIBRARY md HINTS ${PC_LIBMD_LIBRARY_DIRS})
mark_as_advanced(Libmd_INCLUDE_DIR Libmd_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libmd
    REQUIRED_VARS Libmd_LIBRARY Libmd_INCLUDE_DIR
    VERSION_VAR PC_LIBMD_VERSION
    REASON_FAILURE_MESSAGE "on Debian and Ubuntu: apt-get install libmd-dev")

if(Libmd_FOUND AND NOT TARGET Libmd::Libmd)
    add_library(Libmd::Libmd UNKNOWN IMPORTED)
    set_target_properties(Libmd::Libmd PROPERTIES
        IMPORTED_LOCATION "${Libmd_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${Libmd_INCLUDE_DIR}")
endif()

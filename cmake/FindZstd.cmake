# FindZstd.cmake - Zstd::Zstd: pkg-config says where to look, else the usual folders and CMAKE_PREFIX_PATH
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
    pkg_check_modules(PC_ZSTD QUIET libzstd)
endif()
find_path(Zstd_INCLUDE_DIR zstd.h HINTS ${PC_ZSTD_INCLUDE_DIRS})
find_library(Zstd_LIBRARY zstd HINTS ${PC_ZSTD_LIBRARY_DIRS})
mark_as_advanced(Zstd_INCLUDE_DIR Zstd_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Zstd
    REQUIRED_VARS Zstd_LIBRARY Zstd_INCLUDE_DIR
    VERSION_VAR PC_ZSTD_VERSION
    REASON_FAILURE_MESSAGE "on Debian and Ubuntu: apt-get install libzstd-dev")

if(Zstd_FOUND AND NOT TARGET Zstd::Zstd)
    add_library(Zstd::Zstd UNKNOWN IMPORTED)
    set_target_properties(Zstd::Zstd PROPERTIES
        IMPORTED_LOCATION "${Zstd_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${Zstd_INCLUDE_DIR}")
endif()

# FindXxHash.cmake - XxHash::XxHash: pkg-config says where to look, else the usual folders and CMAKE_PREFIX_PATH
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
    pkg_check_modules(PC_XXHASH QUIET libxxhash)
endif()
find_path(XxHash_INCLUDE_DIR xxhash.h HINTS ${PC_XXHASH_INCLUDE_DIRS})
find_library(XxHash_LIBRARY xxhash HINTS ${PC_XXHASH_LIBRARY_DIRS})
mark_as_advanced(XxHash_INCLUDE_DIR XxHash_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(XxHash
    REQUIRED_VARS XxHash_LIBRARY XxHash_INCLUDE_DIR
    VERSION_VAR PC_XXHASH_VERSION
    REASON_FAILURE_MESSAGE "on Debian and Ubuntu: apt-get install libxxhash-dev")

if(XxHash_FOUND AND NOT TARGET XxHash::XxHash)
    add_library(XxHash::XxHash UNKNOWN IMPORTED)
    set_target_properties(XxHash::XxHash PROPERTIES
        IMPORTED_LOCATION "${XxHash_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${XxHash_INCLUDE_DIR}")
endif()

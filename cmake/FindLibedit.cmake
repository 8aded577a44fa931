# FindLibedit.cmake - Libedit::Libedit: pkg-config says where to look, else the usual folders and CMAKE_PREFIX_PATH
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
    pkg_check_modules(PC_LIBEDIT QUIET libedit)
endif()
find_path(Libedit_INCLUDE_DIR editline/readline.h HINTS ${PC_LIBEDIT_INCLUDEDIR} ${PC_LIBEDIT_INCLUDE_DIRS})
find_library(Libedit_LIBRARY edit HINTS ${PC_LIBEDIT_LIBDIR} ${PC_LIBEDIT_LIBRARY_DIRS})
mark_as_advanced(Libedit_INCLUDE_DIR Libedit_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libedit
    REQUIRED_VARS Libedit_LIBRARY Libedit_INCLUDE_DIR
    VERSION_VAR PC_LIBEDIT_VERSION
    REASON_FAILURE_MESSAGE "on Debian and Ubuntu: apt-get install libedit-dev")

if(Libedit_FOUND AND NOT TARGET Libedit::Libedit)
    add_library(Libedit::Libedit UNKNOWN IMPORTED)
    set_target_properties(Libedit::Libedit PROPERTIES
        IMPORTED_LOCATION "${Libedit_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${Libedit_INCLUDE_DIR}")
endif()

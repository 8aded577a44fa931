# FindLibevent.cmake - Libevent::Extra (evhttp): pkg-config says where to look, else the usual folders and
# CMAKE_PREFIX_PATH
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
    pkg_check_modules(PC_LIBEVENT QUIET libevent_extra)
endif()
find_path(Libevent_INCLUDE_DIR event2/http.h HINTS ${PC_LIBEVENT_INCLUDEDIR} ${PC_LIBEVENT_INCLUDE_DIRS})
find_library(Libevent_EXTRA_LIBRARY event_extra HINTS ${PC_LIBEVENT_LIBRARY_DIRS})
find_library(Libevent_CORE_LIBRARY event_core HINTS ${PC_LIBEVENT_LIBRARY_DIRS})
mark_as_advanced(Libevent_INCLUDE_DIR Libevent_EXTRA_LIBRARY Libevent_CORE_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libevent
    REQUIRED_VARS Libevent_EXTRA_LIBRARY Libevent_CORE_LIBRARY Libevent_INCLUDE_DIR
    VERSION_VAR PC_LIBEVENT_VERSION
    REASON_FAILURE_MESSAGE "on Debian and Ubuntu: apt-get install libevent-dev")

if(Libevent_FOUND AND NOT TARGET Libevent::Extra)
    add_library(Libevent::Extra UNKNOWN IMPORTED)
    set_target_properties(Libevent::Extra PROPERTIES
        IMPORTED_LOCATION "${Libevent_EXTRA_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${Libevent_INCLUDE_DIR}"
        INTERFACE_LINK_LIBRARIES "${Libevent_CORE_LIBRARY}")
endif()

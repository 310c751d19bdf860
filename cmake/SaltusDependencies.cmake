# Debian 12 packages only; tools/setup.sh lists them. Imported targets are system includes: no warnings from them.

find_package(fmt REQUIRED)
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED) # header-only in the one file that reads TOML
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json REQUIRED)
if(SALTUS_PLAIN)
  return() # SALTUS_THREADING and SALTUS_NETCDF are nothing
endif()
find_package(TBB REQUIRED)
set(SALTUS_THREADING TBB::tbb)
if(NOT SALTUS_FUZZ) # neither the command line nor compiled models
  find_package(CLI11 REQUIRED)
  find_package(LLVM 19.1 REQUIRED CONFIG)
endif()

# Debian's netCDF target names the development files of its own dependencies (curl, xml2, crypto); the library alone
# is enough.
find_path(NETCDF_INCLUDE_DIR netcdf.h REQUIRED)
find_library(NETCDF_LIBRARY netcdf REQUIRED)
add_library(saltus::netcdf UNKNOWN IMPORTED)
set_target_properties(saltus::netcdf PROPERTIES IMPORTED_LOCATION ${NETCDF_LIBRARY}
                                                INTERFACE_INCLUDE_DIRECTORIES ${NETCDF_INCLUDE_DIR})
set(SALTUS_NETCDF saltus::netcdf)

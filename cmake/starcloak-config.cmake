# find_package(starcloak): starcloak::starcloak (maps, cloaks, answers, verification),
# starcloak::io (map formats, databases, HTTP) and starcloak::study (attacks, densities); each also
# with _static, which is linked with the libraries that it needs by their names.
include(${CMAKE_CURRENT_LIST_DIR}/starcloak-targets.cmake)

/**
 * @file osm_town.h
 * @brief A town small enough to draw, in every encoding the reader knows.
 */
#ifndef SC_TESTS_SUPPORT_OSM_TOWN_H
#define SC_TESTS_SUPPORT_OSM_TOWN_H

#include <stdbool.h>

#include "support/pbf_write.h"

// Node 5 is a cafe, way 12 a park, way 13 a footpath.
//
//    1----2----3        way 10: 1 2 3, residential
//         |   6-7       way 11: 2 4, service
//         4   9-8       way 12: 6 7 8 9 6, leisure=park
//           5           way 13: 3 7, footway
static const pbf_node osm_town_nodes[] = {
    {1, 74210000, 436400000, NULL},
    {2, 74220000, 436400000, NULL},
    {3, 74230000, 436400000, NULL},
    {4, 74220000, 436390000, NULL},
    {5, 74224000, 436388000,
     PBF_TAGS("amenity", "cafe", "name", "Chez Bob", "highway", "crossing")},
    {6, 74226000, 436396000, NULL},
    {7, 74228000, 436396000, NULL},
    {8, 74228000, 436394000, PBF_TAGS("natural", "tree")},
    {9, 74226000, 436394000, NULL},
};
enum { OSM_TOWN_NODE_COUNT = sizeof osm_town_nodes / sizeof osm_town_nodes[0] };

static const char osm_town_xml[] =
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    "<osm version='0.6'>\n"
    " <note>made by hand</note>\n"
    " <bounds minlat='43.6' minlon='7.4' maxlat='43.7' maxlon='7.5'/>\n"
    " <node id='1' lat='43.64' lon='7.421'/>\n"
    " <node id='2' lat='43.64' lon='7.422'/>\n"
    " <node lon='7.423' lat='43.64' id='3' version='1' user='x'/>\n"
    " <node id='4' lat='43.639' lon='7.422'/>\n"
    " <node id='5' lat='43.6388' lon='7.4224'>\n"
    "  <tag k='amenity' v='cafe'/><tag k='name' v='Chez Bob'/><tag k='highway' v='crossing'/>\n"
    " </node>\n"
    " <node id='6' lat='43.6396' lon='7.4226'/>\n"
    " <node id='7' lat='43.6396' lon='7.4228'/>\n"
    " <node id='8' lat='43.6394' lon='7.4228'><tag k='natural' v='tree'/></node>\n"
    " <node id='9' lat='4.36394e1' lon='7.4226'/>\n"
    " <way id='10'><nd ref='1'/><nd ref='2'/><nd ref='3'/><tag k='highway' "
    "v='residential'/></way>\n"
    " <way id='11'><tag k='highway' v='service'/><nd ref='2'/><nd ref='4'/></way>\n"
    " <way id='12'><nd ref='6'/><nd ref='7'/><nd ref='8'/><nd ref='9'/><nd ref='6'/>\n"
    "  <tag k='leisure' v='park'/></way>\n"
    " <way id='13'><nd ref='3'/><nd ref='7'/><tag k='highway' v='footway'/></way>\n"
    " <relation id='1'><member type='way' ref='10' role=''/><tag k='highway' "
    "v='road'/></relation>\n"
    "</osm>\n";

static inline void osm_add_town_ways(pbf_block *block)
{
    pbf_add_way(block, 10, (int64_t[]){1, 2, 3}, 3, PBF_TAGS("highway", "residential"));
    pbf_add_way(block, 11, (int64_t[]){2, 4}, 2, PBF_TAGS("highway", "service"));
    pbf_add_way(block, 12, (int64_t[]){6, 7, 8, 9, 6}, 5, PBF_TAGS("leisure", "park"));
    pbf_add_way(block, 13, (int64_t[]){3, 7}, 2, PBF_TAGS("highway", "footway"));
}

// The town as pbf: `scale` grid numbers of the block per grid number of the table.
static inline pbf_bytes osm_town_pbf(pbf_packing packing, bool dense, int scale, bool ways_first)
{
    enum { LAT_OFFSET = 430000000, LON_OFFSET = 70000000 };
    pbf_bytes file = {0};
    pbf_block block = PBF_BLOCK;
    pbf_node nodes[OSM_TOWN_NODE_COUNT];
    for (size_t i = 0; i < OSM_TOWN_NODE_COUNT; i++) {
        nodes[i] = osm_town_nodes[i];
        if (scale == 1) continue;
        nodes[i].lat = (nodes[i].lat - LAT_OFFSET) * scale;
        nodes[i].lon = (nodes[i].lon - LON_OFFSET) * scale;
    }
    pbf_add_header(&file, packing, PBF_FEATURES("OsmSchema-V0.6", "DenseNodes"));
    if (ways_first) {
        osm_add_town_ways(&block);
        pbf_add_block(&file, packing, &block);
    }
    if (scale != 1) {
        block.granularity = 100 / scale;
        block.lat_offset = (int64_t)LAT_OFFSET * 100;
        block.lon_offset = (int64_t)LON_OFFSET * 100;
    }
    if (dense) pbf_add_dense_nodes(&block, nodes, OSM_TOWN_NODE_COUNT);
    for (size_t i = 0; !dense && i < OSM_TOWN_NODE_COUNT; i++) {
        pbf_add_plain_node(&block, &nodes[i]);
    }
    if (!ways_first) osm_add_town_ways(&block);
    pbf_add_block(&file, packing, &block);
    return file;
}

#endif

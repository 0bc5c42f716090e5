#include "stock.h"

#define LIMIT 10
#define TWICE(x) ((x) * 2)

struct cart {
    int total;
};

typedef struct { int x; } point_t;

enum kind { A };

int declared(int x);

/* Adds an item. */
static int *add(struct cart *cart, int count)
{
    return 0;
}

int
main(void)
{
    add(0, 1);
    return 0;
}

#include <x.h>

/* main */
int main(void) {
  return 0;
}

static int f(int a)
{
  return a;
}

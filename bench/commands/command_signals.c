/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>

#include "command.h"

void command_catch_signals(void (*handler)(int signal_number))
{
    struct sigaction before, action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* ignored under nohup */
        sigaction(SIGHUP, &action, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_H
#define EVENT_H

typedef int event_count;

#endif

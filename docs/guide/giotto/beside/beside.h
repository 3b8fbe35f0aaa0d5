/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BESIDE_H
#define BESIDE_H

typedef int wheel_angle;

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What the headers of EPOS stand for: the classes of carillon/time.hpp and carillon/ostream.hpp under EPOS's name, which
 * programs take as `using namespace EPOS;`, or `__USING_SYS` in the years of the papers. */
#ifndef CARILLON_EPOS_NAMES_H
#define CARILLON_EPOS_NAMES_H

#include "carillon/ostream.hpp"
#include "carillon/time.hpp"

namespace EPOS
{
using namespace carillon;
}

#define __USING_SYS using namespace EPOS;

#endif

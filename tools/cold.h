/* What mypyc's code calls when something has failed, or when a number is too large for a register: hardly ever.

   The compiler is told so before it sees that code (setup.py, -include). It then moves all that leads to such a call out
   of the way, into another part of the library, and what runs for every message lies close together. Between two
   messages the system's own code goes through the same caches, so that shorter is faster (decision 11). */

#include <Python.h>

static void CPy_DecRef(PyObject *object) __attribute__((cold));

#include <CPy.h>

#define COLD(name) extern __typeof__(name) name __attribute__((cold))

COLD(CPy_AddTraceback);
COLD(CPy_AttributeError);
COLD(CPy_CatchError);
COLD(CPy_Reraise);
COLD(CPy_RestoreExcInfo);
COLD(CPy_TypeError);
COLD(CPy_TypeErrorTraceback);
COLD(CPyError_OutOfMemory);
COLD(PyErr_Format);
COLD(PyErr_Occurred);
COLD(PyErr_SetNone);
COLD(PyErr_SetString);

COLD(CPyLong_AsInt32_);
COLD(CPyLong_AsInt64_);
COLD(CPyTagged_Add_);
COLD(CPyTagged_BitwiseLongOp_);
COLD(CPyTagged_DecRef);
COLD(CPyTagged_FloorDivide_);
COLD(CPyTagged_IncRef);
COLD(CPyTagged_Invert_);
COLD(CPyTagged_IsEq_);
COLD(CPyTagged_IsLt_);
COLD(CPyTagged_Lshift_);
COLD(CPyTagged_Multiply_);
COLD(CPyTagged_Negate_);
COLD(CPyTagged_Remainder_);
COLD(CPyTagged_Rshift_);
COLD(CPyTagged_Subtract_);

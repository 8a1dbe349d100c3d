/// \file
/// The small pieces that module and body share: numbers, variable declarations,
/// parameters.
#pragma once

#include <vector>

#include "cpu_device/ptx/ast.hpp"
#include "cpu_device/ptx/lexer.hpp"

namespace rungs::cpu_device::ptx {

/// A number token's value; suffix U allowed; decimal, 0x, 0b or octal.
/// \throws PtxError through the lexer's position when it is none
uint64_t integer_of(const Token& token);

/// An optionally negative integer.
uint64_t parse_integer(Lexer& lexer);

/// An integer, 0f or 0d number, or decimal real, with sign; kind integer or real.
Operand parse_number(Lexer& lexer);

/// `.align 4 .b8 name[24]` after its space word; the attributes may stand in any
/// order.
Declaration parse_declaration(Lexer& lexer, Space space);

/// `( .param .u64 a, .param .align 4 .b8 b[24] )`, or with `.reg`.
std::vector<Declaration> parse_parameters(Lexer& lexer);

}  // namespace rungs::cpu_device::ptx

// Words of the operators that compare a signal with an operand.

const words: Readonly<Record<string, string>> = {
  eq: 'is',
  neq: 'is not',
  gt: 'is above',
  gte: 'is at least',
  lt: 'is below',
  lte: 'is at most',
}

export const operatorWord = (operator: string): string => words[operator] ?? operator

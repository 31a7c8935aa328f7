// Cost of a password's hash in tests that are not about passwords: a thousandth of the real cost.
import type { PasswordCost } from '../../../services/directory/people/passwords.ts'

export const cheapPasswords: PasswordCost = { memoryKib: 64, passes: 1, parallelism: 1 }

// Check entries by their contract: as a function, and as the text of one for a thread that should not load the contract's library a second
// time (ADR 17).
import { Compile } from 'typebox/compile'
import { CheckEntry } from '#shared/contracts/observations/check.ts'

const contract = Compile(CheckEntry)

export const isCheckEntry = (value: unknown): value is CheckEntry => contract.Check(value)

/** The body of a function that answers `isCheckEntry`, as the library writes it. */
export const checkEntryCode = (): string => contract.Code()

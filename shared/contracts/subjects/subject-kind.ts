// Kinds of subjects, by what defines them. A browser loads it too.

/** Word of documents and of the API for a subject that a check defines, of whatever kind. It is older than kinds of checks. */
export const checkedKind = 'website'

/**
 * A check of any kind defines the subject (`website`), people define its signals and rules (`custom`), or a published Template defines it
 * (`template`).
 */
export const subjectKinds = [checkedKind, 'custom', 'template'] as const
export type SubjectKind = (typeof subjectKinds)[number]

/** Whether a check defines subjects of this kind. A monitor that became a custom subject keeps its check, but people define it. */
export const isChecked = (kind: unknown): boolean => kind === checkedKind

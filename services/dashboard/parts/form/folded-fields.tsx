// Sections of a form, folded, each with those of its fields that name it. Drawn inside a Form.
import { type Section, sections } from '#shared/checks/sections.ts'
import { FieldsOf, type FieldsProps } from './fields-form.tsx'

const inOrder = Object.entries(sections) as readonly (readonly [Section, string])[]

export function FoldedFields({ fields, ...drawn }: FieldsProps) {
  return (
    <>
      {inOrder.map(([section, name]) => {
        const own = fields.filter(field => field.section === section)
        if (own.length === 0) return null
        return (
          <details key={section} class="part-of-form">
            <summary>{name}</summary>
            <FieldsOf {...drawn} fields={own} />
          </details>
        )
      })}
    </>
  )
}

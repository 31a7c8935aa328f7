// A payload transformation of a workspace (spec D 2): the template from which a destination's body is rendered. The directory writes it.
import type { Stored } from '#shared/contracts/common.ts'

export interface TransformationDocument extends Stored {
  /** The integer id that generation 2 shows; unique in the installation. */
  number: number
  workspaceId: string
  name: string
  /** The name in lower case: a name is taken whatever its case. Unique within the workspace. */
  nameKey: string
  template: string
  createdAt: number
  updatedAt: number
}

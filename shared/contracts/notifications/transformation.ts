// A payload transformation of a workspace (reference/messages 3): the template for the bodies of a destination. The directory writes it.
import type { Stored } from '#shared/contracts/common.ts'

export interface TransformationDocument extends Stored {
  /** Integer id that generation 2 shows; unique in the installation. */
  number: number
  workspaceId: string
  name: string
  /** Name in lower case, because names are compared without case. Unique within the workspace. */
  nameKey: string
  template: string
  createdAt: number
  updatedAt: number
}

// Level of an installation in which every process is of this version.
import { levelOf, type RisingLevel } from '#shared/store/level.ts'
import { latestNumber, migrations } from '#shared/store/migrations/migrations.ts'

export const presentLevel = (): RisingLevel => levelOf(latestNumber(migrations))

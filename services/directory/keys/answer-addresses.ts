// Which function answers which question about Observation addresses (shared/contracts/ask/ask-addresses.ts).

import { requireResourceRoom, reserveReported } from '../resources/reported.ts'
import { createAddress, deleteAddress, findAddress, listAddresses } from './addresses.ts'

export const addressAnswerers = {
  'find-address': findAddress,
  'create-address': createAddress,
  'list-addresses': listAddresses,
  'delete-address': deleteAddress,
  'reserve-reported': reserveReported,
  'require-resource-room': requireResourceRoom,
}

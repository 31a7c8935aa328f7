// Whether generations 1 and 2 of the API are served (API_LEGACY).
export const legacies = ['serve', 'gone'] as const
export type Legacy = (typeof legacies)[number]

// The user that the first start creates: the user of AUTH_DEV, and of commands that name no user.
export const ownerUsername = 'owner'

// Username of the user that the first start creates. AUTH_DEV and commands without a named user act as this user.
export const ownerUsername = 'owner'

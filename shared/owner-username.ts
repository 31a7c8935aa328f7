// The user that the first start makes: whom AUTH_DEV stands for, and whom commands mean where nobody is named.
export const ownerUsername = 'owner'

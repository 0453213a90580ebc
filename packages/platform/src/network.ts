import net from 'node:net'

/** The key that counts as one address: for IPv6 the first four groups, because one client has 2^64 addresses. */
export const networkOf = (address: string): string => {
  if (!net.isIPv6(address)) return address
  const [front = '', back] = address.split('::')
  const groups = front === '' ? [] : front.split(':')
  const after = back === undefined || back === '' ? 0 : back.split(':').length
  while (back !== undefined && groups.length + after < 8) groups.push('0')
  return groups.slice(0, 4).join(':')
}

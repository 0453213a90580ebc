import net from 'node:net'

/** What counts as one address where something is counted: whoever has one of IPv6 has 2^64, the first four groups. */
export const networkOf = (address: string): string => {
  if (!net.isIPv6(address)) return address
  const [front = '', back] = address.split('::')
  const groups = front === '' ? [] : front.split(':')
  const after = back === undefined || back === '' ? 0 : back.split(':').length
  while (back !== undefined && groups.length + after < 8) groups.push('0')
  return groups.slice(0, 4).join(':')
}

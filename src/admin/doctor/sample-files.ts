/** A small file of each kind of reader, which `doctor` lets the service read. */
import { gunzipSync } from 'node:zlib';

/** Compressed by gzip, in base64. Made by the tests of the readers: see sample-files.test.ts. */
const PACKED: Record<string, string[]> = {
  txt: ['H4sIAAAAAAACAwvJSFVITkw7vFIhvyA1r1ghsUQhLzMvVQ8Anm283RgAAAA='],
  md: [
    'H4sIAAAAAAACA1NWVvAvSM3LzEtXyMgvLSrm4grJSFVITkw7vFIhvyA1r1ghsUQhLzMvVY+Lq0bBJbFSoUbBA6RQoYarRldXF4y5ahR88/NSwJ',
    'IgtQol+QrFmRUKNVwAnbWhUF8AAAA=',
  ],
  html: [
    'H4sIAAAAAAACAy2OMQrDMBAEv3JVygjc5tgqRZqQJh+QrUtO4JyEfQb790FKqoWBWYbVPzN4LOkA64BHFcv2Ji3bsnLQAVzxVKEpvk4Sp83lQq',
    'WKrRSdLJucOVSwx3EWsC9gV1zj0ebWTzpLuBdLDSc0i7zQmncOfzH8CkLP+QL8DmVplQAAAA==',
  ],
  csv: [
    'H4sIAAAAAAACA3NJrLT2yy9J5fLNz0tJrLRWCslIVUhOTDu8UiG/IDWvWCGxRCEvMy9Vj8u/SCEnsSS1yFpBSakgtSgjsaBYSUmJCwCEq+m8QQ',
    'AAAA==',
  ],
  json: [
    'H4sIAAAAAAACA6tWysgvLSpWslKoVsrLL0lVslJQCslIVUhOTDu8UiG/IDWvWCGxRCEvMy9VT0lHQSklsRKkOFrJNz8vJbESJBRSmloMYsbW6i',
    'gogXQoWSmUFJWm1gIAPthx01wAAAA=',
  ],
  xml: [
    'H4sIAAAAAAACAyWN0QnDMAwFVxEeIGr+X5QlsoBTVGyo5WA5pSt1ji4W6v49juMe1nd50kub52pLmKdbWAWe6iFI9WxOFosuwc9StAWB1a6yJa',
    'V7fHw/hF3qoebgXSh2smw6gYcFHgVB7loEv5BsGsFjgf+Yx9kFad2xwIgAAAA=',
  ],
  rtf: [
    'H4sIAAAAAAACA02OMUsEMRCF/8p0AQvJRg8UCxGusBEby2myu5NNIEyWZI7zCPnvkuipzTC8982bVzGLm9ByCWMs+zaZg6noEovMsaLT6BZvcy',
    'HR8JKDjU+topt+VaPvr3qrWOQSqXgiqVgMeLJr4A3MMG9wI6ZsJWXgxNRwt3nt3PtO3DmfTrl0dTjw4QkW61DRI6SduEDFGaw04MB02yEYZdTi',
    'UDmNih5QkUFFB1TONMCT0XdGP49Myem8omS/fudjYJkjHO0FF4oRXsf3vmJO5x/8H/iWeL2yvQBIghI+/y46274Af5T5A1QBAAA=',
  ],
  docx: [
    'H4sIAAAAAAACAwvwZmYRYWDg4GBgYFBkyKk7c2IyAwPDZQYGBm4GBob4otScYn09EBnb58h1yEDAdb1QWv6yXQITl93tuLD2CnNLyi22ST4ei6',
    '7d3l2YGPvvePP323W8cTaa4scDD8aZKWhIbdM7x/XucWl5077s/CelpTKnHwXd9DOMYK3cUC3w2Hpi09JrJW46aQsXdD9xKeSteyRTojvpc4+N',
    '77kLrWeVA9ZUZMxSfnb/0HzGpCuVy1Y9OHpz0d+knWz8N7buqP3OGIDidom+9gcLGRgYPBkZGGQYGBjK84tS9CEeSMlPLs1NzSvRq8jNAXtm7Y',
    'SNXIcMRFzrVffcXfJWQalXT6lk6i9G1dpMZs84z3mX/u1t1tC1sJq3e87hteeLPzzq1LTukvKKbDiQsaK88EJB/vrdzHP8v/LWHu9Lkrs7ZbvG',
    'rDjnrF9CLrt9ViSmzOvzSjVOerFpCedjmT1LRazOTbq04ERU+genZ4IGm1Z1Ja2/dGuBkb6cccc2b+ZNbeanLSsC9n+9av91Wofyx10PrGuVrn',
    'ybLI7qtf7p9ffjGRgYdjMwMPDDvFZcUpmTWgzy0mbN7Vp6K8946m7b3LhJZMGW9K61QUFZgYVFboFpUZ0ThTwc45L0PPbpGB4P01Q2NVQ11o89',
    '6OF5/5yb/CrO1Zr7ZlaulLhVqy26QK3hy/RoVVWx5ct+PD+4ZGKum2G8/LsEBlS3BCauOqHPwMCQwMDAIARzS1p+fklefgncOV6nz+ufPK0Pcp',
    'FjgcMbJoFAFiWvNzKiCUZVZr8UGAUiWdS4D6g4LbbbNBHNeHOx0O6vDAwMGUwMDIIw45Hjb2qQZ95hA54/XAvZXc5e3SAq8mJhOxvnrZoD3Jc5',
    'pmo6L9qu/lT2b0RidKG5tKu+DOOchwHMx3avM7mw4POtIKVts603BhdKi5qt91aRuzdT9xfj6o0ydzn070i3mGUFTe7YqyYSdLToXX/r1YVOl7',
    '5wiUdb22+pVNnZacU/98aFqWqfQmclK2m1y8U2O83V46isqtt/yPxvTqK2Cr8mc+ahs7vcI3pefXoxLWwv+2LbZEaPN7+OWs6ZyTB5kvHnlLfS',
    'Wy5GWp8/v833iNmTD56zsv493vxKMdZoovmr/IOPvdocldJXix7eu/TR/nnOyw6I7Xn3r2SaokLlbomfT3vsGAK8GZlEGHDnU1SAlGvRNaJnEg',
    'TYQyDLoJuEniYRYDojRgpF14yeiBBAmQlbkkLXj55KEKCJCUuaCfBmZQNJsjKwMtgzMjAsYwbxAEEKQvb7BAAA',
  ],
  pptx: [
    'H4sIAAAAAAACAwvwZmYRYWDg4GBgYFBkKPD/lDKFgYHhGgMDAzcDA0N8UWpOsb4eiIztc+Q6ZCDAsF/oW962rwpKvtWCC8NX8nO83MZrcnPCmq',
    'B6/YpNcuxsabPyuFdXBerNW9wYFb5Aw0qudg6vTdvthzyxt+9kbn1kOe3o8k3uV/vZiuyvLWgrV2Lu9tilILY9YINr8aIdraWPZNaInK10m6f2',
    '/sWpd5IaXHKrX7X83P4hvUEqZ54nzxKVGUaiXZ+2fhULO7Dt4N8H7AEojv+/a+rlWQwMDK6MDAzyDAwMBQUl+hAPFBSlFqfmlSSWZObn6VXk5o',
    'A9tPXCRpCHGh6Gc26fnW3d4bG4myN2qZ1DzrpchZOtKl611Y4COjus/l1mr6+O2SPM73WzKCDgNBdLa2Mv7+Sm7Pp7bx5UZOg/Kdko8yknOW75',
    'i56mKzOlXP73LEnQU30n+Nlg8vXIoiUbKsyLPu1KOZnpJOdufaGzfffygA0rV+kuy2fcvLnN4YuVb4jIHuPHvnr3GP99m/3/96/Hj38d50b11k',
    '/vZZ32DAwMJQwMDCJQb6F7aLPmBi0NL12/s9qeOifPnN8M4p/z/OjzUVOvcbOoUXDOVJ6pIl1rHHqUzos4q9aGeCqreCpPWGK3yfBXRhkDA6qF',
    'KhLCDhUMDAx3GRgYBKAWFudkpqQW6yfBLDvnuRFE6TFMrExldFXYpeC8cMkmhathK1U2q6iHet4/5yavGBn0cMr8oMz0yRmhDEpdDi6dc6PTAg',
    's7nQr90rxW9dp5MLiINZ5k2lA2w6x2RqqA0O5MRcmVXCc7M9vDtZ6IL3kmqq0yTeNJ6rOlrwRTt9gdCUdzZWzo0WOVDAwM9zBdmUiRK2MLsorq',
    '4rrgzmSBOLNuhl3tjFwBod2FeJ0ZzRDgzcgkwoA7T6ECpByGrhE9PSPAXsKpG90w9FSEAFMYsacpdBPQkwUCsDJhJhJ03ejRhQCrmTAjL8CblQ',
    '1sMgMrgwsjA0MQM4gHAN4stfisBAAA',
  ],
  xlsx: [
    'H4sIAAAAAAACAwvwZmYRYWDg4GBgYFBkYGGuWj6ZgYHhIgMDAzcDA0N8UWpOsb4eiIztc+Q6ZCDAsF/oW962KoGJy/Z2XFh9hf1Kye02tZsTXH',
    'r3f8+y5eM5cyW3MGyPhtrhuINxYQonsuV654ve+f36HUtu8P0TfDc3+HdzZnYvkhY9knen+YV9o4iOZbtx0iXunYqefE+6Nwu7mz9RsTx34nKK',
    'SWyEvezPnvZVVkl/dP9IKvxSPDdFVKQ7v+91c+XUo5EHlh17e1s8AMXtd25KKO5jYGDwZGJgkGJgYKjI0Yc4vzy/KDspPz9bryI3B+yVvZccsw',
    '4bCLQ+XN1x8/qmuwFenbN8NVNm72IX+HZDaKpJWtosi+36LFx8U9Y4Tf//qrZ7+11dy5nKm1y0+GatYmteulxx2smD6d//feDZff0t4+TrHq5O',
    'c55ana0rOPB7IePlueklAiHPxbOX8s/YG2KSHFkk1bk5fGWHuvdjieqaxf+skwNvX/s6+enXJlvBek+HEIO5zzmvHlSdnXWS8839pm/2LG91Dz',
    '62ZRWyefxhocxpFe2jugeerWOwVY/Rj/9Vfi+u/hE7qq9r1+Se9mBgYChgYGDgh/ga2b+bNc/rn/I7df78ts2a5zx8dTXbLnFVdu5cuc2r7qfq',
    'yqNeXK5hMzW3ebnO02zz+rWC6w930Gejz5dEjT55d08QlWoUeXW450r7bSYGVEsV/MTW6TIwMIAs5oBYWgyxTU9v42bNc1s2a24s9lyz5aL+xs',
    '0X2Qsdd3CovJrIL6jT9Mm7u+shU8LUXwrKaEZaCnnJmjMwMCQzMDDwQo0sqcxJhZm78ownL8gDGzd7+p092emhvW3zSo/gE9pnS0/rfvTZGGoU',
    'cMld2NDkoMAmls4Xh3kvuBuJodnwYVZJdgoDA0Mtkg0ZqaklhiAbfHsPcrYaCLBGRwY1dH9/fqj9fqOZwKGuh/Vmk3QiJpfemPHC1b9YMm3D1F',
    '/Z3au482oWuzvqzlYIlD20nP+J84lv55ctvq5wwveBka6X5rnjfqmh2SJzdWaXJYh/eFog9CH2Ufis+Y85UZ2Ty/KjpoKBgeErmnOM4NGmB/Ev',
    'Y7Bep2pnmZnrz6dlZie5XLd59bV5calu8zrqVWaWWsZm9iu1zOzXyQBL9RRL5xBL8RUxnoIRZhbKGzVE1znJ59hNUnXz4jq6zastYanaMrdpbh',
    'liko2pOl99Luo0vmg+IfVCcuaimwv6n6jWtvgzBngzMokw4C4PUAFS6YCuET0zIsAevFkT3Rz05I0AmxgxEju6ZvRkigDqTIhEi64LPSUiQBUT',
    'WrpE14qexBDgDhNagkPXip4cECCbGS1xBHizsoEk2BnYGZYyMjDwsYB4ABIqvCzJBQAA',
  ],
  odt: [
    'H4sIAAAAAAACAwvwZmYRYWDgYGBgYFBkiDtmxKPOwMAAwiCh3Mzc1JLKgtTEgoKczOTEksz8PP2yvBS9/MTizGK9/ILUvJT85NLc1LwSvZLUip',
    'IAqGEcYMMmX95R8ZyBgeEYEwMDNwMDQ3J+XglIZUVuztpJB/0OG/C0xR99ZevyKCJ14gSLAseYb0yRjy55rIw11bst1/n8wdGA66tMemIbuh/f',
    '+J9f65WzI3PRcasN8tYqgfM8JxyZtbTwQUGcfpP6xrSuUu7pze6eEwNUaw5vWf1O+/clZdeq1mnHFaVtu8WD87/rNpWfPf475sStov4pBzkDVP',
    'ZE8/xN8jA8rRYauCE63fZAyGEGD6M5++f82h2Xn77T+dAvocRzJ0t3rOZ6s+rCSrHYA468NWdSkx8kR36YcenU9xdcK7Jv6j6+/Oxl3bZX2lx/',
    '+Q+c93m4/czl940GTyp+Me803RVhGpuzcN/WNfMDvBmZRBhwBy8qgAU2Qhf2cEQAX9RQDfBmZQMJMzEwMeQzMDDEMoJ4ALhfTT/iAQAA',
  ],
  epub: [
    'H4sIAAAAAAACAwvwZmYRYWDg4GBgYFBkSBR6o2XJwMAQwMDAIMbAwODrGuKo6+nnpp+cn1eSmJmXWqRXkZuz2fPceW3PM2e8dTdt1jx1Xt/z9B',
    'lPXTcD0UtexUUl3ELeRjlTJ336vPnr5C+fuC9N+fI258vEkNfKPIwMASiWva/m6IhhYGCYz8DAwMXAwJCUn5+tn6SXX5C2WdPD55yfj//WzSd9',
    'z5z28dbV27j5pI7n2dATPhtDtTTPhwed0PDy3RxqdOm0xsmzgZfcJ5097916UupQ6lfBYyLiKc+WOl0RX7pMM2VZw9SmkpfJHU05TC/bXl1s38',
    'mF5oajllHLvBgYGPwZGBi4YW4w1MsoAfrypMbJsxs3e57yX7ll80mDTZ/1Pc6ePuMdfuKEvq7WtovnDTZt1tzAfdIj1MPPx3pPkOJ+BdP1EYob',
    'XRT1jfVDz7vtP3DOTX5RuHyOAJqVtrG3S10YGBg8ka00wmolt5/vufPegR7nPHQ0PHU3Qe38rBPoce6kvp9umIdOoMa5NRc2X9TfsPli+4tL7N',
    'KgMGZkEmHAHaWoAHsEo5uBHlMIkIsSb+j60EMXAT6ihjW6RvQwQoAURpQQC/BmZQMJszCwMLxjYGC4yAjiAQBcTn3U1QIAAA==',
  ],
  pdf: [
    'H4sIAAAAAAACA71RXWvbMBR99684L4ENtuojlj+gFJYuYWMbLYlhD90eVPsmccmkYMkj3a8fcpImRNtrjblIR0dX554zuv84ey+u0kSAwz4+Jd',
    'fXYNXzlsButdcbuwK71ytykOCY4+YmIdMEoowu7HnsS9s4PKiBng+1DPUn2K3tjcf4rMk4ajKzxoMt+kc/bAMowCba0f7kE21+k29rDTY1tW1a',
    'swL73poPxrUvwOmB9OyBr2RWfg0hVSA435H+lUwqsJmA5KiWyCXysGrw5m5LJrRa275zb1E9YVodyeJIzoo9uVoTar38MVYCdkvGQXuY1tA7aN',
    'OEjScDa7DoTaOf3dWxIZnmoOOgV/3T1VA7Mv4QApuTs31Xk0PgDcYMC4HxIaXws2/UtHpid3jg4MiERF7KIQfjyXiH9CLTLHaLn3kVy81fVW52',
    'IbeI5aZFnK24zPazR72xjoaYXLv7fxzlq85XXMy362iZcAie8JcPmVJjhSVOWIn9iTlhqogwIfMIkzKNsJTzCFMyi7FcRVjORYyVZ/p8p9sNdY',
    'Ofi/YPhWzY3FoPcZzded35YfJSqmQ0mt7Nkr+8vYAapgQAAA==',
  ],
  png: [
    'H4sIAAAAAAACAwHeAiH9iVBORw0KGgoAAAANSUhEUgAAAtAAAAB4AQAAAADz/PibAAACpUlEQVR42u3XvW7bMBAAYLoc1KlcOwS5V+iYITBfqd',
    '1sIAgVZNDoN2hfRYAG9zGk6AUoeGEBgtcj6Z80CRDGsdPlPAiydPwEU3dHWuDZPoJppplmmmmmmWaaaaaZZppppkto+cLN9tmVu0OkVVYX0ELI',
    'MlqYPd3KUnp84aZ7eiFcE72NbMZQQuv1poj2c+PNNnK1OS1tcE+r89GA/5vGNZ6TvseYTHfxKLE3bY/2ijLtns5DJb2iJ0FPd2SOdGIWtIMiWm',
    'BLw4VulRemhrbV/VfETwJr8DNpKZv7KtMpMtF9VUI/LLBpMMyhadyNVsr91N1v4haGzhcwDIhdlyYkRyJMQXddCT14ozoaCKqz9IC1M9D0SJc1',
    'rK2HzlKRTInOkYluhkIaRhr4C8YpzHVH9Iq4IWi9ngI9iorE7miKTPRqKpprfwsDDQzxt1/r0SEooscAej0EaJxB5XKGpMhEx4giWk/oddDTiN',
    'cm0uASjeOIsCIV9jRFJhpcOR2qRNOvPtCUEzv65lhazOh7ELMndB3pWjymY2SkhXgD3c6f0Wp8Px3r1l1q/Je+hDTXsbQPE4LbCcE30GFLH17j',
    'pT7Q/lg6BX4BpBx8lHxEx+SLHfqQfFtaFdIGKPlwBdOEsWRwWzJ0HkuG1FwyyxyZS6YwQ4zaEA1qkwsdoYm0n1ORU6H7XaEvc2Qu9D+FdEM95B',
    'aajt4WtSSEjlb0B2pP0i1hsLv29CNH5vb0eg/xAsV31VYYqKlWPjbS9kL2nwEf6I7wEuwsNVWKkDnSyfpbbLJltKW3UyMd01JwIe0VxBWi7UMF',
    'vkpLAR2rHJlop96xMduvVqff852bfm3H8Q56Oh9taR04PR23pmiP2oUX0V7yfxmmmWaaaaaZZppppplmmmmmmWb6Y+m/juOBilGPAuIAAAAASU',
    'VORK5CYIKffTBq3gIAAA==',
  ],
};

/** Each file by the ending of its name. */
export const sampleFiles = (): Map<string, Buffer> =>
  new Map(
    Object.entries(PACKED).map(([kind, lines]) => [kind, gunzipSync(Buffer.from(lines.join(''), 'base64'))]),
  );

/** The words that the moderation rules put in each other's place: whom one can hurt, how one asks for instructions, and so on. */

import type { WordClasses } from './phrases.ts';

const list = (words: string): readonly string[] => words.trim().split(/\s*,\s*/);
const agesOfMinors = Array.from({ length: 15 }, (_, index) => String(index + 3));

export const wordClasses: WordClasses = {
  det: list('a, an, the, some, any, my, your, his, her, their, this, that, these, those, 4'),
  own: list('a, my, your, his, her, their, the, this, that, these, those, all, all the, every'),
  intend:
    list(`will, am going to, are going to, am gonna, are gonna, gonna, want to, would like to, would love to, plan to,
    am planning to, are planning to, intend to, am about to, have decided to, am ready to, swear i will`),
  howto:
    list(`how to, how do i, how do you, how do we, how do people, how does one, how can i, how can you, how can we, how could i,
    how would i, how would you, how would someone, how would one, how does someone, how should i, teach me to, ways to, way to, steps to, steps for, instructions to, instructions for,
    instructions on, guide to, guide for, guide on, recipe for, tutorial on, tutorial for, help me, walk me through, methods to,
    method to, where can i, where do i, where to`),
  make: list(`make, making, build, building, create, creating, construct, assemble, produce, cook, cooking, synthesize, synthesise,
    manufacture, manufacturing, prepare, brew, extract, craft, obtain, acquire`),

  adverb:
    list(`safely, secretly, quickly, easily, successfully, actually, illegally, anonymously, cheaply, discreetly, remotely,
    painlessly, fatally, best`),

  person:
    list(`you, him, her, them, everyone, everybody, someone, somebody, people, boss, wife, husband, girlfriend, boyfriend, ex,
    neighbor, neighbors, neighbour, neighbours, teacher, teachers, mother, father, mom, dad, brother, sister, family, students, coworker, coworkers, colleague, colleagues, classmates, roommate, landlord, bitch, bastard, bastards,
    cop, cops, president, guy, man, woman`),
  kill: list(`kill, murder, stab, strangle, behead, slaughter, butcher, lynch, decapitate, assassinate, dismember, massacre, suffocate,
    unalive`),
  hurt: list('hurt, punch, torture, maim, cripple, rape, beat up, fuck up'),
  child: list('child, children, kid, kids, toddler, baby'),
  process: list('process, processes, thread, threads, task, tasks, job, jobs, window, windows'),
  otherShot: list('a, an, some, over, the, my, for, with my camera, with a camera, with my phone'),
  body: list('legs, leg, neck, face, arms, arm, bones, jaw, fingers, skull, kneecaps, knees, teeth, nose'),
  crowd:
    list(`school, church, mall, office, workplace, club, nightclub, mosque, synagogue, temple, concert, airport, station, hospital,
    courthouse, building, embassy, stadium, train, plane, bus, bridge, festival`),

  degree:
    list(`so, such, really, very, too, just, literally, always, truly, nothing but, a, an, the, total, complete, absolute, fucking,
    freaking, damn, little, big, fat, lying, filthy, dirty, old, most, stupid, dumb, ugly, pathetic, worthless, useless, disgusting`),
  insult:
    list(`idiot, idiots, moron, morons, imbecile, loser, losers, bitch, bastard, asshole, dumbass, jackass, scumbag, retard, cunt,
    whore, slut, dickhead, motherfucker, shithead, dipshit, douchebag, lowlife`),
  contempt:
    list(`stupid, dumb, worthless, pathetic, disgusting, ugly, useless, trash, garbage, scum, vermin, subhuman, brainless,
    repulsive, waste of space, waste of oxygen, waste of air, piece of trash, piece of garbage, piece of shit, disgrace`),

  group:
    list(`jews, muslims, christians, catholics, hindus, sikhs, buddhists, atheists, arabs, blacks, whites, asians, africans, mexicans,
    latinos, hispanics, indians, immigrants, migrants, refugees, foreigners, gays, lesbians, homosexuals, bisexuals, transsexuals,
    women, men, gypsies, black people, white people, brown people, gay people, trans people, transgender people, disabled people,
    asian people, jewish people, muslim people, indigenous people, black men, black women`),
  subhuman:
    list(`subhuman, subhumans, inferior, vermin, parasites, cockroaches, rats, animals, savages, filth, scum, disease, trash,
    garbage, monkeys, apes, dogs, pigs, criminals, terrorists, rapists, thieves, evil, disgusting, stupid, dirty, lazy, plague, cancer,
    less than human, worthless`),
  slur: list('nigger, niggers, faggot, faggots, kike, kikes, wetback, wetbacks, tranny, trannies'),

  kind: list(`small, simple, homemade, home made, pipe, nail, dirty, fertilizer, pressure cooker, car, powerful, improvised, cheap, real,
    working, deadly, untraceable, illegal, crude, remote, letter, suicide, little, big, crystal, pure`),
  weapon:
    list(`bomb, bombs, explosive, explosives, explosive device, ied, molotov, molotovs, molotov cocktail, molotov cocktails, grenade,
    grenades, napalm, sarin, ricin, anthrax, nerve gas, nerve agent, mustard gas, poison gas, chlorine gas, chemical weapon,
    chemical weapons, biological weapon, biological weapons, bioweapon, silencer, ghost gun, untraceable gun, printed gun, detonator,
    landmine, c4, tnt`),
  drug: list('meth, methamphetamine, crack cocaine, cocaine, heroin, lsd, mdma, ecstasy, ghb, fentanyl, illegal drugs'),
  malware:
    list(`malware, ransomware, keylogger, spyware, computer virus, trojan, botnet, rootkit, phishing email, phishing emails,
    phishing site, phishing page, phishing website, phishing campaign`),
  hackable:
    list(`account, accounts, wifi, email, phone, bank, facebook, instagram, snapchat, computer, website, server, network, camera,
    webcam, whatsapp, gmail, database`),
  stealable:
    list(`credit card, credit cards, card numbers, car, cars, identity, identities, password, passwords, money, bike, bikes,
    wallet, packages, jewelry, personal data, credentials`),
  forgeable:
    list(`money, bills, dollars, passport, passports, id, ids, prescription, prescriptions, check, checks, documents, visa,
    diploma, driving license, drivers license`),
  burglable: list('house, houses, car, cars, home, homes, apartment, building, safe, store, neighbors'),

  pill: list('pills, tablets, tylenol, paracetamol, acetaminophen, ibuprofen, aspirin, insulin, xanax, sleeping pills'),

  minor:
    list(`child, children, kid, kids, minor, minors, toddler, toddlers, preteen, preteens, underage, little girl, little girls,
    little boy, little boys, schoolgirl, schoolgirls, young girl, young girls, young boy, young boys, infant, infants`),
  ageOfMinor: [
    ...agesOfMinors,
    ...list('six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen, sixteen'),
  ],
  ageWithUnit: agesOfMinors.flatMap((age) => [`${age}yo`, `${age}yr`, `${age}yrs`]),
  sexualMedia:
    list(`porn, pornography, nudes, erotica, nude photos, nude pictures, nude pics, nude images, naked photos, naked pictures,
    naked pics, naked images, sexual images, sexual photos, sexual content, sexual story, sexual stories, sex story, sex stories,
    sex videos, sex scene, erotic story, erotic stories`),
  explicitWord:
    list(`blowjob, blowjobs, handjob, cumshot, creampie, deepthroat, gangbang, hentai, masturbate, masturbating, masturbation,
    pornographic, pornstar, bukkake, fellatio, cunnilingus, milf`),
};

// The guided story in German. The key is the English text.
export const german: Readonly<Record<string, string>> = {
    'A city full of travellers': 'Eine Stadt voller Reisender',
    'A cloak forms': 'Eine Tarnung entsteht',
    'After {time} {travellers}, you among them, became one cloak of {roads}. The lines lead to those who are in it with you: each of you may be on any of these roads.':
        'Nach {time} wurde daraus eine Tarnung: {travellers}, Sie eingeschlossen, auf {roads}. Die Linien führen zu denen, die mit Ihnen darin sind: Alle können auf jeder dieser Straßen sein.',
    'An adversary who sees the cloak, knows the method and all that was asked picks your road with a chance of {chance}. Blindly, one of {roads} is right with {guess}.':
        'Ein Angreifer, der die Tarnung sieht und das Verfahren und alle Anfragen kennt, trifft Ihre Straße mit einer Wahrscheinlichkeit von {chance}. Blind geraten wären es bei {roads} {guess}.',
    'Another try, where more are on their way.': 'Noch ein Versuch, wo mehr unterwegs sind.',
    'Ask again when more travellers are on the road.':
        'Fragen Sie noch einmal, wenn mehr unterwegs sind.',
    Back: 'Zurück',
    "Click a road on the travellers' map and ask, or choose a cloak on the provider's map and attack it.":
        'Klicken Sie auf der Karte der Reisenden auf eine Straße und fragen Sie, oder wählen Sie auf der Karte des Anbieters eine Tarnung und greifen Sie sie an.',
    Close: 'Schließen',
    'Each dot is a traveller, each ring a question that waits. The other map shows all that the provider sees.':
        'Jeder Punkt ist jemand unterwegs, jeder Ring eine Frage, die wartet. Die andere Karte zeigt alles, was der Anbieter sieht.',
    'Go on': 'Fortsetzen',
    'How it works, with one question': 'Wie es funktioniert, an einer Frage',
    'It takes no other road for likelier.': 'Keine andere Straße hält er für wahrscheinlicher.',
    'It waits for company': 'Die Frage wartet auf Gesellschaft',
    Next: 'Weiter',
    'No company came within {time}, so nothing was sent: better no answer than an exposed one.':
        'In {time} kam keine Gesellschaft, also wurde nichts gesendet: lieber keine Antwort als eine, die Sie verrät.',
    'No company this time': 'Diesmal keine Gesellschaft',
    'Not who asks, not how many, not from which road.':
        'Nicht, wer fragt, nicht, wie viele, nicht, von welcher Straße aus.',
    'Now you': 'Jetzt Sie',
    Pause: 'Pause',
    'Say you are here, on {road}, and look for something nearby: {what}. The provider should not learn where you are.':
        'Angenommen, Sie sind hier ({road}) und suchen etwas in der Nähe: {what}. Der Anbieter soll nicht erfahren, wo Sie sind.',
    Skip: 'Beenden',
    'StarCloak keeps what is yours: {name}, {distance} away. The answer is exact.':
        'StarCloak behält, was Sie betrifft: {name}, Entfernung {distance}. Die Antwort ist genau.',
    'The panel beside the maps says why. You may try again at any time.':
        'Warum, steht neben den Karten. Sie können es jederzeit noch einmal versuchen.',
    'The provider cannot know which road counts, so it answers for all of them.':
        'Der Anbieter kann nicht wissen, auf welche Straße es ankommt, und antwortet für alle.',
    'The provider is told {roads} and what is looked for.':
        'Der Anbieter erfährt {roads} und was gesucht wird.',
    'The road that it takes for likeliest, with {most}, is not yours.':
        'Die Straße, die er für die wahrscheinlichste hält ({most}), ist nicht Ihre.',
    'The service did not take the question': 'Der Dienst nahm die Frage nicht an',
    'There is no such place on the map: that, too, is an exact answer.':
        'Auf der Karte gibt es keinen solchen Ort: Auch das ist eine genaue Antwort.',
    'This is what comes back': 'Das kommt zurück',
    'This is what leaves': 'Das geht hinaus',
    'What an adversary makes of it': 'Was ein Angreifer daraus macht',
    'What is this': 'Was ist das',
    'What is this?': 'Was ist das?',
    'You ask': 'Sie fragen',
    'You want to be one of at least {travellers}, on at least {roads}: so your question waits, for {time} at most.':
        'Mindestens {travellers} auf mindestens {roads}, das ist Ihre Bedingung: Deshalb wartet Ihre Frage, höchstens {time}.',
    'any place': 'ein beliebiger Ort',
    '{bytes} go to the provider: {start} ... They name {roads} and what is looked for.':
        '{bytes} gehen an den Anbieter: {start} ... Sie nennen {roads} und was gesucht wird.',
    '{count} other waits nearby and fits.': '{count} Person wartet in der Nähe und passt.',
    '{count} others wait nearby and fit.': '{count} andere warten in der Nähe und passen.',
};

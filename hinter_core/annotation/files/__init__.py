"""Items and judgements in files of many formats, in and out."""

"""Extensions of HInter."""
